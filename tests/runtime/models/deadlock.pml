/* SPDX-License-Identifier: MIT */
/*
 * The scan for deadlocks: two cores, each of which sends, receives and takes part in one sync, in
 * whatever order the search likes, and ends; while it waits it scans.
 *
 * Checked: where a scan finds a deadlock there is one (assert), and every run ends: all have ended,
 * or a deadlock is found (ltl).
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define SENDS 1
#define OTHER(c) (1 - (c))

mtype = { RUNNING, BLOCKED, SYNC, ENDED };

mtype state[2] = RUNNING; /* of the core's vps, as one */
bool ready[2];            /* what it waited for has come */
byte epoch[2];
bool is_idle[2];
bool attention[2]; /* LPI_ATT_SYNC */

byte tail[2], filled[2], head[2]; /* of the lane from this core: counted, visible, taken */
byte got[2];                      /* delivered, not received */
byte arrived;                     /* at the sync */
byte live_cores = 2;
bool stop;

/* ghost: nothing can ever happen again */
#define IN_VAIN(c) ((state[c] == ENDED || ((state[c] == BLOCKED || state[c] == SYNC) && !ready[c])) && \
	!attention[c] && tail[c] == head[c])
#define DEADLOCKED (IN_VAIN(0) && IN_VAIN(1) && live_cores > 0)

/* lpi_idle() */
inline idle(c)
{
	if
	:: !is_idle[c] -> is_idle[c] = true; epoch[c]++
	:: else
	fi
}

/* lpi_busy() */
inline busy(c)
{
	if
	:: is_idle[c] -> is_idle[c] = false; epoch[c]++
	:: else
	fi
}

/* ---- mail and syncs ---- */

/* lpi_lane_publish() */
inline send(c)
{
	tail[c]++;
	filled[c]++
}

/* take_entry(), of the lane to c */
inline take(c)
{
	if
	:: filled[OTHER(c)] > head[OTHER(c)] ->
#ifndef BUSY_AFTER_IT_IS_TAKEN
	   busy(c);
#endif
	   if /* lpi_deliver(), lpi_wake() */
	   :: state[c] == BLOCKED -> ready[c] = true
	   :: else
	   fi;
	   got[c]++;
	   head[OTHER(c)]++
#ifdef BUSY_AFTER_IT_IS_TAKEN
	   ; busy(c)
#endif
	:: else
	fi
}

/* lpi_poll_mail(): lpi_poll(), lpi_release_sync() */
inline look_up(c)
{
	take(c);
	if
	:: attention[c] ->
	   busy(c);
	   attention[c] = false;
	   ready[c] = ready[c] || state[c] == SYNC
	:: else
	fi
}

/* lpi_sync(), lpi_fix_start(), attend() */
inline arrive(c)
{
	state[c] = SYNC;
	atomic { arrived++; last = (arrived == 2) };
	if
	:: last -> attention[0] = true; attention[1] = true
	:: else
	fi
}

/* ---- the scan ---- */

/* lpi_all_idle() */
inline all_idle(sum)
{
	sum = epoch[0];
	all = (sum % 2 == 1);
	if
	:: all ->
	   one = epoch[1];
	   all = (one % 2 == 1);
	   sum = sum + one
	:: else
	fi
}

/* one turn of the loops in nothing_pending() and lpi_lanes_quiet() */
inline attend_to(c)
{
#ifndef SYNCS_DO_NOT_COUNT
	all = all && !attention[c]
#else
	skip
#endif
}

inline look_at_lane(c)
{
#ifndef LANES_DO_NOT_COUNT
	one = tail[c];
	all = all && one == head[c]
#else
	skip
#endif
}

/* lpi_check_deadlock() */
inline check_deadlock()
{
	all_idle(before);
	if
	:: all -> attend_to(0); attend_to(1); look_at_lane(0); look_at_lane(1)
	:: else
	fi;
#ifndef ONE_SCAN
	if
	:: all ->
	   all_idle(after);
#ifndef EPOCHS_MAY_CHANGE
	   all = all && before == after
#endif
	:: else
	fi;
#endif
	if
	:: all && live_cores > 0 ->
	   if
	   :: atomic { !stop -> assert(DEADLOCKED); stop = true } /* lpi_stop_deadlocked(): the lock */
	   :: stop /* the other was first, and has gone on since */
	   fi
	:: else
	fi;
	before = 0; after = 0; one = 0; all = false
}

/* ---- the cores ---- */

/* lpi_hold() */
inline hold(c)
{
	do
	:: stop || ready[c] -> break
	:: else ->
	   look_up(c);
	   if
	   :: ready[c]
	   :: else -> idle(c); check_deadlock() /* nobody_ready() */
	   fi
	od;
	state[c] = RUNNING;
	ready[c] = false;
	busy(c)
}

proctype core(byte c)
{
	byte sent, before, after, one;
	bool synced, last, all;

	do
	:: stop -> break
	:: !stop && sent < SENDS -> sent++; send(c)
	:: !stop ->
	   if
	   :: got[c] == 0 -> state[c] = BLOCKED; hold(c)
	   :: else
	   fi;
	   if
	   :: got[c] > 0 -> got[c]--
	   :: else -> assert(stop)
	   fi
	:: !stop && !synced -> synced = true; arrive(c); hold(c)
	:: break
	od;
	/* lpi_proc_main(), lpi_successor() */
	state[c] = ENDED;
	live_cores--;
	do
	:: stop || live_cores == 0 -> break
	:: else -> look_up(c); idle(c); check_deadlock()
	od
}

init {
	atomic { run core(0); run core(1) }
}

ltl every_run_ends { <> (stop || live_cores == 0) }
