/* SPDX-License-Identifier: MIT */
/*
 * The lane of an ordered pair of cores, and the queues that it overflows into: one producer, one
 * consumer with two vps, a ring of two slots.
 *
 * Checked: what is sent to a vp is delivered in the order sent (assert); the counts of the consumer
 * are never ahead of the producer's, as lpi_lanes_quiet() needs it (assert); all is delivered (ltl).
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define MESSAGES 5
#define SLOTS 2
#define VPS 2

/* the ring */
byte seq[SLOTS];              /* index + 1 when filled */
byte slot_dst[SLOTS], slot_number[SLOTS];
byte tail, q_sent;            /* the producer's line */
byte head_seen, q_taken_seen; /* what it has last seen of the consumer's */
byte head, q_taken;           /* the consumer's line */

chan queue[VPS] = [MESSAGES] of { byte }; /* liburcu's, one of each vp */
bool rung[VPS], bell[VPS], attention;

byte sent[VPS], delivered[VPS]; /* ghosts: how many, by vp */

#define ALL (delivered[0] + delivered[1] == MESSAGES)

/* ---- producer ---- */

/* free_slot() */
inline free_slot()
{
	room = true;
	if
#ifndef LANE_WHILE_SOME_ARE_QUEUED
	:: q_sent != q_taken_seen ->
	   q_taken_seen = q_taken;
	   room = (q_sent == q_taken_seen)
#endif
	:: else
	fi;
	if
	:: room && tail - head_seen >= SLOTS ->
	   head_seen = head;
	   room = (tail - head_seen < SLOTS)
	:: else
	fi
}

/* publish() */
inline publish(dest)
{
	slot_dst[tail % SLOTS] = dest;
	slot_number[tail % SLOTS] = sent[dest];
#ifdef VISIBLE_BEFORE_IT_IS_COUNTED
	seq[tail % SLOTS] = tail + 1;
	tail++
#else
	tail++;
	seq[(tail - 1) % SLOTS] = tail
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

/* lpi_post() */
proctype producer()
{
	byte n = 0, to;
	bool room, was;

	do
	:: n < MESSAGES ->
	   select(to : 0 .. VPS - 1);
	   sent[to]++;
	   free_slot();
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
inline deliver(dest, number)
{
	delivered[dest]++;
	assert(number == delivered[dest])
}

/* take_slot() */
inline take_slot()
{
#ifdef FREE_BEFORE_IT_IS_READ
	head++;
	deliver(slot_dst[(head - 1) % SLOTS], slot_number[(head - 1) % SLOTS]);
#else
	deliver(slot_dst[head % SLOTS], slot_number[head % SLOTS]);
	head++;
#endif
	assert(head <= tail)
}

#define FILLED (seq[head % SLOTS] == head + 1)

/* drain_lane(), up to the end, or as many as it likes, at least one: DRAIN_BURST */
inline drain_lane(to_the_end)
{
	do
	:: FILLED ->
	   take_slot();
	   if
	   :: !to_the_end -> break
	   :: true
	   fi
	:: !FILLED -> break
	od
}

/* drain_mailbox() */
inline drain_mailbox(owner)
{
	do
	:: queue[owner] ? number ->
#ifndef QUEUE_BEFORE_THE_LANE
	   drain_lane(true);
#endif
	   deliver(owner, number);
	   q_taken++;
	   assert(q_taken <= q_sent)
	:: empty(queue[owner]) -> break
	od
}

/* one turn of the loop in drain_bells() */
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

/* lpi_poll(), drain_bells() */
proctype consumer()
{
	byte number;

	do
	:: ALL -> break
	:: !ALL ->
	   drain_lane(false);
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
	atomic { run producer(); run consumer() }
}

ltl all_is_delivered { <> ALL }
