/* SPDX-License-Identifier: MIT */
/*
 * Meetings of the cores under the parallel virtual clock, and how a core sleeps that waits for one:
 * CORES cores meet ROUNDS times, and somebody may stop the run at any time. Whoever waits reads the
 * count of events before it looks, and sleeps only if nothing has been announced since.
 *
 * Checked: nobody leaves a meeting before all have come (assert); every core ends (ltl): a lost
 * announcement would leave it asleep for ever.
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define CORES 3
#define ROUNDS 2

byte n_met, meetings, event, n_asleep;
bool sleeping[CORES]; /* in futex_wait */
bool stop;
byte came[CORES]; /* ghost: to so many meetings */
byte home;

/* lpi_announce() */
inline announce()
{
#ifdef SLEEPERS_ARE_COUNTED_BEFORE_THE_EVENT
	asleep = (n_asleep > 0);
	event++;
#else
	event++;
	asleep = (n_asleep > 0);
#endif
	if
	:: asleep -> atomic { sleeping[0] = false; sleeping[1] = false; sleeping[2] = false } /* FUTEX_WAKE */
	:: else
	fi
}

/* lpi_sleep() */
inline sleep(me)
{
#ifdef ASLEEP_WITHOUT_BEING_COUNTED
	n_asleep = n_asleep;
#else
	n_asleep++;
#endif
#ifdef SLEEP_WITHOUT_COMPARING
	sleeping[me] = true;
	!sleeping[me];
#else
	if
	:: atomic { event == seen -> sleeping[me] = true }; !sleeping[me] /* FUTEX_WAIT compares */
	:: event != seen
	fi;
#endif
#ifndef ASLEEP_WITHOUT_BEING_COUNTED
	n_asleep--
#endif
}

/* meet() */
inline meet(me)
{
	meeting = meetings;
	came[me]++;
	atomic { n_met++; last = (n_met == CORES) };
	if
	:: last ->
#ifdef OPEN_BEFORE_IT_IS_EMPTY
	   meetings++;
	   n_met = 0;
#else
	   n_met = 0;
	   meetings++;
#endif
	   announce()
	:: else ->
	   do
	   :: true ->
#ifndef LOOK_BEFORE_THE_EVENT_IS_READ
	      seen = event;
#endif
	      if
	      :: meetings != meeting -> break
	      :: meetings == meeting && stop -> over = true; break
	      :: meetings == meeting && !stop
	      fi;
#ifdef LOOK_BEFORE_THE_EVENT_IS_READ
	      seen = event;
#endif
	      sleep(me)
	   od
	fi
}

/* lpi_next_window(), again and again */
proctype core(byte me)
{
	byte seen, meeting, round;
	bool last, over, asleep;

	do
	:: round < ROUNDS && !over && !stop ->
	   meet(me);
	   round++;
	   assert(over || (came[0] >= round && came[1] >= round && came[2] >= round))
	:: round == ROUNDS || over || stop -> break
	od;
	home++
}

/* lpi_stop() by whoever likes */
proctype stopper()
{
	bool asleep;

	if
	:: true -> stop = true; announce()
	:: true
	fi;
	home++
}

init {
	atomic { run core(0); run core(1); run core(2); run stopper() }
}

ltl all_end { <> (home == CORES + 1) }
