/* SPDX-License-Identifier: MIT */
/*
 * The lane of an ordered pair of cores, and the queues that it overflows into: one producer, one
 * consumer with two vps, a ring of two lines. A line has one message, or two short ones: the second
 * joins the first, or it goes into the next line, as the search likes. The consumer makes the lane when it takes a
 * message from a queue, if there is memory, which is not clear. It does not look at the lane in each turn.
 *
 * Checked: what is sent to a vp is delivered in the order sent (assert); the places of the consumer
 * are never ahead of the producer's, and equal to them at the end, as lpi_lanes_quiet() needs it
 * (assert); all is delivered (ltl).
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define MESSAGES 4
#define LINES 2
#define VPS 2

mtype = { NONE, SHORT, ALONE };

/* the ring: places are 2 * line + entry */
byte number[LINES] = 1;    /* of the line + 1, when it is filled; with the kinds it is the control word */
mtype first[LINES] = SHORT, second[LINES] = SHORT;
bool made;                 /* the lines are the lane's */
byte entry_dst[4], entry_number[4]; /* by place mod 4: 2 * LINES */
byte tail, q_sent;            /* the producer's line */
bool made_seen;
byte head_seen, q_taken_seen; /* what it has last seen of the consumer's */
byte head, q_taken;           /* the consumer's line */

chan queue[VPS] = [MESSAGES] of { byte }; /* liburcu's, one of each vp */
bool rung[VPS], bell[VPS], attention;

byte sent[VPS], delivered[VPS]; /* ghosts: how many, by vp */

#define ALL (delivered[0] + delivered[1] == MESSAGES)

/* ---- producer ---- */

/* is_in_order(), lpi_lane_joins(), lpi_lane_has_line() */
inline find_place()
{
	room = true;
	joins = false;
	if
#ifndef LANE_WHILE_SOME_ARE_QUEUED
	:: q_sent != q_taken_seen ->
	   q_taken_seen = q_taken;
	   room = (q_sent == q_taken_seen)
#endif
	:: else
	fi;
	if
	:: room && kind == SHORT && tail % 2 == 1 -> joins = true /* not polled since */
	:: true
	fi;
	if
	:: room && !made_seen -> made_seen = made; room = made_seen /* lpi_lane_look() */
	:: else
	fi;
	if
#ifdef ROOM_FOR_A_LINE_THAT_IS_NOT_PASSED
	:: room && !joins && (tail + 1) / 2 - (head_seen + 1) / 2 >= LINES ->
	   head_seen = head;
	   room = ((tail + 1) / 2 - (head_seen + 1) / 2 < LINES)
#else
	:: room && !joins && (tail + 1) / 2 - head_seen / 2 >= LINES ->
	   head_seen = head;
	   room = ((tail + 1) / 2 - head_seen / 2 < LINES)
#endif
	:: else
	fi
}

/* the store of the control word in lpi_lane_publish() */
inline put_control(kind1, kind2)
{
	atomic { number[line % LINES] = line + 1; first[line % LINES] = kind1; second[line % LINES] = kind2 }
}

/* lpi_lane_put_short(), put_alone(), lpi_lane_publish() */
inline publish(dest)
{
	line = (joins -> tail / 2 : (tail + 1) / 2);
	place = 2 * line + joins;
	entry_dst[place % 4] = dest;
	entry_number[place % 4] = sent[dest];
#ifdef VISIBLE_BEFORE_IT_IS_COUNTED
	if
	:: joins -> put_control(SHORT, SHORT)
	:: else -> put_control(kind, NONE)
	fi;
	tail = place + (kind == SHORT -> 1 : 2)
#else
	tail = place + (kind == SHORT -> 1 : 2);
	if
	:: joins -> put_control(SHORT, SHORT)
	:: else -> put_control(kind, NONE)
	fi
#endif
}

/* enqueue(), ring() */
inline enqueue(dest)
{
#ifdef QUEUED_BEFORE_IT_IS_COUNTED
	queue[dest] ! sent[dest];
	q_sent++;
#else
	q_sent++;
	queue[dest] ! sent[dest];
#endif
	atomic { was = rung[dest]; rung[dest] = true };
	if
	:: !was -> bell[dest] = true; attention = true
	:: else
	fi
}

/* lpi_post_to_core() */
proctype producer()
{
	byte n = 0, to, line, place;
	mtype kind;
	bool room, joins, was;

	do
	:: n < MESSAGES ->
	   select(to : 0 .. VPS - 1);
	   if
	   :: kind = SHORT
	   :: kind = ALONE
	   fi;
	   sent[to]++;
	   find_place();
	   if
	   :: room -> publish(to)
	   :: else -> enqueue(to)
	   fi;
	   n++
	:: n == MESSAGES -> break
	od
}

/* ---- consumer ---- */

/* deliver(): the next one of this vp */
inline deliver(dest, which)
{
	delivered[dest]++;
	assert(which == delivered[dest])
}

#define LINE(p) (((p) / 2) % LINES)
#define HAS(p) (number[LINE(p)] == (p) / 2 + 1 && ((p) % 2 == 0 -> first[LINE(p)] : second[LINE(p)]) != NONE)

/* lpi_lane_front(): loads of a control word, one after the other */
inline find_front()
{
	at = head;
	if
	:: HAS(at) -> some = true
	:: !HAS(at) && at % 2 == 0 -> some = false
	:: !HAS(at) && at % 2 == 1 -> /* has the producer gone on to the next line? */
	   if
	   :: HAS(at + 1) ->
	      some = true;
#ifdef THE_FIRST_LOOK_IS_ENOUGH
	      at++
#else
	      at = (HAS(at) -> at : at + 1) /* an entry may have joined the line before that */
#endif
	   :: !HAS(at + 1) -> some = false
	   fi
	fi
}

/* take_entry(), lpi_lane_pass() */
inline take_entry()
{
#ifdef FREE_BEFORE_IT_IS_READ
	kind = (at % 2 == 0 -> first[LINE(at)] : second[LINE(at)]);
	head = at + (kind == SHORT -> 1 : 2);
	deliver(entry_dst[at % 4], entry_number[at % 4]);
#else
	kind = (at % 2 == 0 -> first[LINE(at)] : second[LINE(at)]);
	deliver(entry_dst[at % 4], entry_number[at % 4]);
	head = at + (kind == SHORT -> 1 : 2);
#endif
	assert(head <= tail)
}

/* drain_lane(), up to the end, or as many as it likes, at least one: DRAIN_BURST */
inline drain_lane(to_the_end)
{
	do
	:: true ->
	   find_front();
	   if
	   :: some -> take_entry()
	   :: else -> break
	   fi;
	   if
	   :: !to_the_end -> break
	   :: true
	   fi
	od
}

#define CLEAR(l) number[l] = 0; first[l] = NONE; second[l] = NONE

/* lpi_lane_make() */
inline make()
{
#ifndef LINES_ARE_NOT_CLEAR
	CLEAR(0);
	CLEAR(1);
#endif
	made = true
}

/* drain_mailbox() */
inline drain_mailbox(owner)
{
	do
	:: queue[owner] ? taken ->
#ifndef QUEUE_BEFORE_THE_LANE
	   if
	   :: made -> drain_lane(true)
	   :: else
	   fi;
#endif
	   deliver(owner, taken);
	   if
	   :: !made -> make()
	   :: true /* made, or no memory */
	   fi;
	   q_taken++;
	   assert(q_taken <= q_sent)
	:: empty(queue[owner]) -> break
	od
}

/* one turn of the loop in lpi_queue_take_bell() */
inline drain_bell(owner)
{
	if
	:: atomic { bell[owner] -> bell[owner] = false };
#ifndef CLEAR_RUNG_AFTER_THE_QUEUE
	   rung[owner] = false;
#endif
	   drain_mailbox(owner)
#ifdef CLEAR_RUNG_AFTER_THE_QUEUE
	   ; rung[owner] = false
#endif
	:: else
	fi
}

/* lpi_poll(), lpi_queue_take_bell() */
proctype consumer()
{
	byte taken, at;
	mtype kind;
	bool some, left;

	do
	:: ALL -> assert(head == tail && q_taken == q_sent); break
	:: !ALL ->
	   if
	   :: made -> drain_lane(false); left = false
#ifndef A_LANE_IS_LEFT_FOR_EVER
	   :: !left -> left = true /* not its turn in this poll */
#else
	   :: true
#endif
	   :: !made
	   fi;
	   if
#ifdef CLEAR_ATTENTION_AFTER_THE_BELLS
	   :: attention -> drain_bell(0); drain_bell(1); attention = false
#else
	   :: attention -> attention = false; drain_bell(0); drain_bell(1)
#endif
	   :: else
	   fi
	od
}

init {
	atomic {
		if
		:: CLEAR(0); CLEAR(1); made = true /* in an earlier run */
		:: true
		fi;
		run producer();
		run consumer()
	}
}

ltl all_is_delivered { <> ALL }
