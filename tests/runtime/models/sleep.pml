/* SPDX-License-Identifier: MIT */
/*
 * A core that sleeps since it has nothing to do, and those that give it work: SENDERS cores send it MESSAGES each.
 *
 * What a sender stores is in its store buffer at first: it becomes visible at any later time, or when the
 * sender executes a fence. So its load of wants_work can come before its store. The sleeper's fence is
 * membarrier(2): a fence in every thread.
 *
 * Checked: all messages are taken (ltl). A lost wake-up would leave the core asleep for ever.
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define SENDERS 2
#define MESSAGES 2

byte visible[SENDERS], buffered[SENDERS]; /* messages sent */
byte taken;                               /* of all */
byte event;
bool wants_work, is_asleep, sleeping /* in futex_wait */;

/* Of sender i */
inline fence(i)
{
	visible[i] = visible[i] + buffered[i];
	buffered[i] = 0
}

/* lpi_ring() */
inline ring()
{
	event++;
	if
	:: is_asleep -> sleeping = false /* FUTEX_WAKE */
	:: else
	fi
}

/* lpi_post_to_core() */
proctype sender(byte me)
{
	byte sent;
	bool cleared;

	do
	:: sent < MESSAGES ->
	   buffered[me]++;
	   sent++;
	   /* lpi_give_work() */
	   if
	   :: wants_work ->
	      atomic {
	         fence(me); /* an exchange is one */
#ifdef CLEARED_WITHOUT_A_RING
	         cleared = false;
#else
	         cleared = wants_work;
#endif
	         wants_work = false
	      };
	      if
	      :: cleared -> ring()
	      :: else
	      fi;
	      cleared = false
	   :: else
	   fi
	:: sent == MESSAGES -> break
	od
}

/* The processor empties its store buffers. */
active proctype processor()
{
	do
	:: atomic { buffered[0] > 0 -> fence(0) }
	:: atomic { buffered[1] > 0 -> fence(1) }
	:: taken == SENDERS * MESSAGES -> break
	od
}

/* lpi_poll_all() */
inline poll()
{
	atomic { found = (visible[0] + visible[1] > taken); taken = visible[0] + visible[1] }
}

/* spin_or_sleep() and sleep_idle() */
active proctype core()
{
	byte seen;
	bool found;

	do
	:: taken == SENDERS * MESSAGES -> break
	:: else ->
	   poll();
	   if
	   :: found
	   :: !found ->
#ifndef EVENT_IS_READ_LATE
	      seen = event;
#endif
#ifdef POLL_BEFORE_THE_WANT
	      poll();
#endif
	      wants_work = true;
#ifdef POLL_BEFORE_THE_FENCE
	      poll();
#endif
#ifndef NO_FENCE
	      atomic { fence(0); fence(1) };
#endif
#if !defined(POLL_BEFORE_THE_WANT) && !defined(POLL_BEFORE_THE_FENCE)
	      poll();
#endif
#ifdef EVENT_IS_READ_LATE
	      seen = event;
#endif
	      if
	      :: found
	      :: !found -> /* lpi_sleep() */
#ifndef ASLEEP_WITHOUT_A_WORD
	         is_asleep = true;
#endif
	         if
	         :: atomic { event == seen -> sleeping = true }; !sleeping /* FUTEX_WAIT compares */
	         :: event != seen
	         fi;
	         is_asleep = false
	      fi;
	      wants_work = false
	   fi
	od
}

init {
	atomic { run sender(0); run sender(1) }
}

ltl all_taken { <> (taken == SENDERS * MESSAGES) }
