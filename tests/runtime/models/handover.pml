/* SPDX-License-Identifier: MIT */
/*
 * The hand-over: two cores, vps 0 and 1 on core 0 and vp 2 on core 1; batons with their futex words,
 * sleepers that are woken ahead, mailboxes with their doorbell, blocking receives, the end of a vp.
 *
 * Each vp sends its messages to vps that the search chooses, then receives what is for it. Checked:
 * never two holders of one core (assert), and every run ends (ltl): a lost wake-up or a lost baton
 * would leave somebody waiting for ever. The idle loop of a core is a wait for its doorbell, so that a
 * missed bell shows as a deadlock.
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define N 3
#define SENDS(v) (v) /* vp 0 none, vp 1 one, vp 2 two */
#define CORE(v) ((v) / 2)

mtype = { ASLEEP, AWAKE, HAS };             /* baton words */
mtype = { RUNNING, READY, BLOCKED, ENDED }; /* states; READY: its deadline has come */

mtype word[N] = ASLEEP;
bool sleeping[N]; /* in futex_wait */
mtype state[N] = READY;

byte mail[N];    /* in the wait-free queue */
byte pending[N]; /* delivered, not received */
bool rung[N];
bool bell[N]; /* on its core's bell list */
bool attention[2];
bool prepared; /* core 0 has woken its next vp ahead */

byte to[N];       /* where the messages go: that of vp 1, then those of vp 2 */
byte expected[N]; /* messages for it that it has not received */
byte live[2];
byte holders[2]; /* ghost: vps that believe they hold the core */
byte home;       /* ghost: vps that have left */

/* ---- batons ---- */

/* lpi_baton_give() */
inline give(given)
{
#ifdef GIVE_TO_WHO_IS_AWAKE_ONLY
	atomic { old = AWAKE; word[given] = HAS };
#else
	atomic { old = word[given]; word[given] = HAS }; /* the exchange */
#endif
	if
	:: old == ASLEEP -> sleeping[given] = false /* FUTEX_WAKE */
	:: else
	fi
}

/* lpi_baton_prepare() */
inline prepare(sleeper)
{
	if
#ifdef PREPARE_GIVES_THE_CORE
	:: atomic { word[sleeper] == ASLEEP -> word[sleeper] = HAS };
#else
	:: atomic { word[sleeper] == ASLEEP -> word[sleeper] = AWAKE }; /* the compare-exchange */
#endif
#ifndef PREPARE_WAKES_NOBODY
	   sleeping[sleeper] = false /* FUTEX_WAKE */
#endif
	:: else
	fi
}

/* lpi_baton_await() */
inline await(waiter)
{
	do
	:: word[waiter] == HAS -> word[waiter] = AWAKE; break
	:: atomic { word[waiter] == AWAKE -> word[waiter] = ASLEEP } /* the compare-exchange */
#ifdef SLEEP_WITHOUT_COMPARING
	:: word[waiter] == ASLEEP -> sleeping[waiter] = true; !sleeping[waiter]
#else
	:: atomic { word[waiter] == ASLEEP -> sleeping[waiter] = true }; /* FUTEX_WAIT compares */
	   !sleeping[waiter]
#endif
	od
}

/* ---- mail ---- */

/* lpi_deliver(): a receive that waits is served, and its vp gets a deadline (lpi_wake()) */
inline deliver(taker)
{
	atomic { /* by the holder of the taker's core, who alone looks at these */
		if
		:: state[taker] == BLOCKED -> state[taker] = READY
		:: else
		fi;
		pending[taker]++
	}
}

/* ring() */
inline ring(rungvp)
{
	atomic { was = rung[rungvp]; rung[rungvp] = true }; /* the exchange */
	if
	:: !was ->
#ifdef ATTENTION_BEFORE_THE_BELL
	   attention[CORE(rungvp)] = true; bell[rungvp] = true
#else
	   bell[rungvp] = true; attention[CORE(rungvp)] = true
#endif
	:: else
	fi
}

/* lpi_post(); enqueue() if it goes to the other core */
inline post(sender, dest)
{
	if
	:: CORE(sender) == CORE(dest) -> deliver(dest)
	:: else -> mail[dest]++; ring(dest)
	fi
}

/* one turn of the loop in lpi_queue_take_bell(), with drain_mailbox() */
inline drain_one(owner)
{
	if
	:: atomic { bell[owner] -> bell[owner] = false };
#ifndef CLEAR_RUNG_AFTER_THE_QUEUE
	   rung[owner] = false;
#endif
	   do
	   :: atomic { mail[owner] > 0 -> mail[owner]-- }; deliver(owner)
	   :: mail[owner] == 0 -> break
	   od
#ifdef CLEAR_RUNG_AFTER_THE_QUEUE
	   ; rung[owner] = false
#endif
	:: else
	fi
}

/* lpi_poll_mail(), lpi_poll(), the head of lpi_queue_take_bell() */
inline look_up(lcore)
{
	if
	:: attention[lcore] ->
#ifndef CLEAR_ATTENTION_AFTER_THE_BELLS
	   attention[lcore] = false;
#endif
	   if
	   :: lcore == 0 -> drain_one(0); drain_one(1)
	   :: else -> drain_one(2)
	   fi
#ifdef CLEAR_ATTENTION_AFTER_THE_BELLS
	   ; attention[lcore] = false
#endif
	:: else
	fi
}

/* ---- the scheduler ---- */

/* lpi_nobody_ready(), again and again, until the bell rings or lpi_announce() says that all have ended */
inline idle(icore)
{
	(attention[icore] || (live[0] == 0 && live[1] == 0))
}

/* hand_over(), or the executor's leave(): pass() */
inline pass(giver, next)
{
	holders[CORE(giver)]--;
	give(next)
}

/* what await() returns to */
inline gained(gainer)
{
	holders[CORE(gainer)]++;
	assert(holders[CORE(gainer)] == 1);
	prepared = (CORE(gainer) == 0 -> false : prepared) /* take_due() */
}

#define OTHER(v) (1 - (v)) /* of core 0 */

/* lpi_hold() */
inline hold(me)
{
	do
	:: true ->
	   look_up(CORE(me));
	   if
	   :: state[me] == READY -> state[me] = RUNNING; break /* take_due() */
	   :: state[me] != READY && me < 2 ->
	      if
	      :: state[OTHER(me)] == READY ->
	         if
	         :: !prepared -> prepared = true; prepare(OTHER(me)) /* prepare_in_time(): or not */
	         :: true
	         fi;
	         pass(me, OTHER(me));
	         await(me);
	         gained(me)
	      :: state[OTHER(me)] != READY && !prepared -> /* its deadline is still to come */
	         prepared = true; prepare(OTHER(me))
	      :: state[OTHER(me)] != READY -> idle(CORE(me))
	      fi
	   :: state[me] != READY && me == 2 -> idle(1)
	   fi
	od
}

/* lpi_proc_main() */
proctype vp(byte v)
{
	byte sent = 0;
	mtype old;
	bool was;

	await(v);
	gained(v);
	state[v] = RUNNING;
	do
	:: sent < SENDS(v) -> post(v, to[v - 1 + sent]); sent++
	:: sent == SENDS(v) && expected[v] > 0 ->
	   if
	   :: pending[v] == 0 -> state[v] = BLOCKED; hold(v) /* lpi_wait_message() */
	   :: else
	   fi;
	   assert(pending[v] > 0);
	   atomic { pending[v]--; expected[v]-- }
	:: sent == SENDS(v) && expected[v] == 0 -> break
	od;
	/* the end of a vp */
	state[v] = ENDED;
	live[CORE(v)]--;
	do /* lpi_successor() */
	:: live[0] == 0 && live[1] == 0 -> holders[CORE(v)]--; break
	:: else ->
	   look_up(CORE(v));
	   if
	   :: v < 2 && state[OTHER(v)] == READY -> pass(v, OTHER(v)); break
	   :: v == 2 || state[OTHER(v)] != READY -> idle(CORE(v))
	   fi
	od;
	home++
}

init {
	byte n, dest;

	atomic {
		for (n : 0 .. 2) {
			select(dest : 0 .. N - 1);
			dest = (dest == (n > 0 -> 2 : 1) -> (dest + 1) % N : dest); /* not to itself */
			to[n] = dest;
			expected[dest]++
		};
		live[0] = 2;
		live[1] = 1;
		n = 0;
		dest = 0;
		run vp(0);
		run vp(1);
		run vp(2);
		word[0] = HAS; /* the executor's launch() */
		word[2] = HAS
	}
}

ltl every_run_ends { <> (home == N) }
