/* SPDX-License-Identifier: MIT */
/*
 * Offers: long messages that are copied straight into a waiting receive's buffer. One sender with
 * MESSAGES messages of two tags, one receiver on another core, whose receives may end early, and a
 * stranger, whose long message finds an offer that is not for it. The lane is a queue with counts.
 *
 * Checked: each receive gets the next message of its tag (assert); nobody writes to the buffer of a
 * receive that is over (assert); a message that comes by the lane never meets a claimed offer
 * (assert); all is received (ltl).
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define MESSAGES 3
#define TIMEOUTS 1

mtype = { NONE, OPEN, CHECKED, CLAIMED };

mtype offer = NONE;
byte offer_tag; /* what is on offer */
byte buf;       /* the buffer of the receive; 0: nothing has been copied */
bool writable;    /* ghost: the receive may be written to */

chan lane = [MESSAGES] of { byte, byte, bool }; /* tag, number, direct */
byte head, tail;
chan unexpected[2] = [MESSAGES] of { byte }; /* by tag: delivered, and no receive was posted */

byte sent[2], received[2]; /* by tag; numbers count from 1 */
byte to_come[2];           /* by tag, all */
byte n_done;

/* ---- the side of the sender ---- */

/* all_delivered() */
#define ALL_DELIVERED (head == tail)

/* lpi_direct_fill() */
inline fill(mytag, mynumber)
{
	filled = false;
#ifdef CLAIM_WITHOUT_CHECKING
	if
	:: offer == OPEN && offer_tag == mytag ->
	   if
	   :: atomic { offer == OPEN -> offer = CLAIMED }; filled = true
	   :: else
	   fi
	:: else
	fi;
#else
	if
	:: atomic { offer == OPEN -> offer = CHECKED }; /* the compare-exchange */
	   filled = (offer_tag == mytag);
#ifdef CHECKED_AND_NOT_WANTED_STAYS
	   offer = (filled -> CLAIMED : CHECKED)
#else
	   offer = (filled -> CLAIMED : OPEN)
#endif
	:: else
	fi;
#endif
	if
	:: filled -> assert(writable); buf = mynumber /* memcpy() */
	:: else
	fi
}

/* lpi_post() of long messages: fill_direct(), lpi_lane_publish() */
proctype sender()
{
	byte tag, number;
	bool filled;

	do
	:: tail < MESSAGES ->
	   if
	   :: sent[0] < to_come[0] -> tag = 0
	   :: sent[1] < to_come[1] -> tag = 1
	   fi;
	   sent[tag]++;
	   number = sent[tag];
	   filled = false;
	   if
#ifdef CLAIM_BEFORE_ALL_IS_DELIVERED
	   :: true -> fill(tag, number)
#else
	   :: ALL_DELIVERED -> fill(tag, number)
	   :: else
#endif
	   fi;
	   atomic { lane ! tag, number, filled; tail++ }
	:: tail == MESSAGES -> break
	od
}

/* lpi_post() of another core, whose messages this receiver does not wait for now */
proctype stranger()
{
	bool filled;

	fill(2, 0);
	assert(!filled)
}

/* ---- the side of the receiver ---- */

/* lpi_direct_expose() */
inline open_offer()
{
	buf = 0;
	offer_tag = tag;
	offered = true;
	offer = OPEN
}

/* lpi_direct_withdraw() */
inline withdraw()
{
	do
	:: !offered -> gone = true; break
	:: offered ->
	   if
	   :: atomic { offer == OPEN -> offer = NONE }; offered = false; gone = true; break
	   :: offer == CLAIMED ->
#ifdef WITHDRAW_WHAT_IS_CLAIMED
	      offer = NONE; offered = false; gone = true; break
#else
	      gone = false; break
#endif
	   :: offer == CHECKED -> offer == OPEN || offer == CLAIMED /* and again */
	   fi
	od
}

inline receive(number)
{
	received[tag]++;
	assert(number == received[tag]);
	posted = false;
	writable = false
}

/* lpi_deliver(), bind() */
inline deliver(itstag, number, direct)
{
	if
	:: direct ->
	   assert(posted && offered && tag == itstag && buf == number);
	   offered = false; /* lpi_direct_complete() */
	   offer = NONE;
	   receive(number)
	:: !direct && posted && tag == itstag ->
	   withdraw();
	   assert(gone);
	   receive(number)
	:: else -> unexpected[itstag] ! number
	fi
}

/* lpi_poll(), take_entry() */
inline poll()
{
	if
	:: lane ? mtag, mnumber, mdirect ->
#ifdef DELIVERED_BEFORE_IT_IS
	   head++;
	   deliver(mtag, mnumber, mdirect)
#else
	   deliver(mtag, mnumber, mdirect);
	   head++
#endif
	:: empty(lane)
	fi
}

/* logp_recv_until(): wait_directly() */
proctype receiver()
{
	byte tag, mtag, mnumber, timeouts;
	bool mdirect, posted, offered, gone, late;

	do
	:: received[0] + received[1] == MESSAGES -> break
	:: else ->
	   if
	   :: received[0] < to_come[0] -> tag = 0
	   :: received[1] < to_come[1] -> tag = 1
	   fi;
	   if
	   :: unexpected[tag] ? mnumber -> receive(mnumber)
	   :: empty(unexpected[tag]) ->
	      posted = true;
	      writable = true;
	      late = false;
	      open_offer();
	      do
	      :: !posted -> break
	      :: posted -> poll()
	      :: posted && timeouts < TIMEOUTS -> /* its time is over */
	         timeouts++;
	         late = true
	      :: posted && late ->
	         withdraw();
	         if
	         :: gone -> posted = false; writable = false
	         :: else -> poll()
	         fi
	      od
	   fi
	od;
	n_done++
}

init {
	byte mine;

	atomic {
		select(mine : 0 .. MESSAGES);
		to_come[0] = mine;
		to_come[1] = MESSAGES - mine;
		run sender();
		run stranger();
		run receiver()
	}
}

ltl all_is_received { <> (n_done == 1) }
