/* SPDX-License-Identifier: MIT */
/*
 * The hand-over, for exhaustive checking with spin: two cores, four vps (0 and 1 on core 0, 2 and 3 on
 * core 1), batons with their futex words, mailboxes with their doorbell, blocking receives, the end
 * of a vp.
 *
 * Each vp sends SENDS messages to vps chosen at will and receives as many as were sent to it, in
 * whatever order the search likes. Checked: never two holders of one core (assert), and every run
 * ends (no invalid end state): a lost wake-up or a lost baton would leave somebody waiting for ever.
 * The idle loop of a core is a wait for its doorbell, so that a missed bell shows as a deadlock.
 *
 * The names are those of runtime/: sched.c (hold, successor), baton.c, queue.c (ring, lpi_queue_answer).
 */
#define N 4
#define SENDS 1
#define CORE(v) ((v) / 2)
#define OTHER(v) ((v) ^ 1) /* the other vp of the core */

mtype = { ASLEEP, AWAKE, HAS };    /* baton words */
mtype = { RUNNING, READY, BLOCKED, ENDED }; /* states; READY: its deadline has come */

mtype word[N] = ASLEEP;
bool sleeping[N]; /* in futex_wait */
mtype state[N] = READY;

byte mail[N];    /* in the wait-free queue */
byte pending[N]; /* delivered, not received */
bool rung[N];
bool bell[N]; /* on its core's bell list */
bool attention[2];

byte expected[N]; /* messages sent to it and not received */
byte live[2] = 2;
byte holders[2]; /* ghost: vps that believe they hold the core */

/* ---- baton.c ---- */

inline give(given)
{
	atomic { old = word[given]; word[given] = HAS };
	if
	:: old == ASLEEP -> sleeping[given] = false /* FUTEX_WAKE */
	:: else
	fi
}

inline await(waiter)
{
	do
	:: word[waiter] == HAS -> word[waiter] = AWAKE; break
	:: atomic { word[waiter] == AWAKE -> word[waiter] = ASLEEP }
	:: atomic { word[waiter] == ASLEEP -> sleeping[waiter] = true }; /* FUTEX_WAIT */
	   !sleeping[waiter]
	od
}

/* ---- mailbox.c ---- */

inline deliver(taker)
{
	if
	:: state[taker] == BLOCKED -> state[taker] = READY; pending[taker]++
	:: else -> pending[taker]++
	fi
}

inline ring(rungvp)
{
	atomic { was = rung[rungvp]; rung[rungvp] = true };
	if
	:: !was -> bell[rungvp] = true; attention[CORE(rungvp)] = true
	:: else
	fi
}

inline post(sender, dest)
{
	if
	:: CORE(sender) == CORE(dest) -> deliver(dest)
	:: else -> mail[dest]++; ring(dest)
	fi
}

inline drain_one(owner)
{
	if
	:: atomic { bell[owner] -> bell[owner] = false };
	   rung[owner] = false;
	   do
	   :: atomic { mail[owner] > 0 -> mail[owner]-- }; deliver(owner)
	   :: mail[owner] == 0 -> break
	   od
	:: else
	fi
}

inline look_up(lcore)
{
	if
	:: attention[lcore] ->
	   attention[lcore] = false;
	   drain_one(2 * lcore);
	   drain_one(2 * lcore + 1)
	:: else
	fi
}

/* ---- sched.c ---- */

/* Nobody of this core is ready: until the doorbell rings, or all of the machine has ended. */
inline idle(icore)
{
	(attention[icore] || (live[0] == 0 && live[1] == 0))
}

inline pass(giver, next)
{
	holders[CORE(giver)]--;
	give(next)
}

inline gained(gainer)
{
	holders[CORE(gainer)]++;
	assert(holders[CORE(gainer)] == 1)
}

inline hold(me)
{
	do
	:: true ->
	   look_up(CORE(me));
	   if
	   :: state[me] == READY -> state[me] = RUNNING; break
	   :: state[me] != READY && state[OTHER(me)] == READY ->
	      pass(me, OTHER(me));
	      await(me);
	      gained(me)
	   :: state[me] != READY && state[OTHER(me)] != READY -> idle(CORE(me))
	   fi
	od
}

proctype vp(byte v)
{
	byte sent = 0, to;
	mtype old;
	bool was;

	await(v);
	gained(v);
	state[v] = RUNNING;
	do
	:: sent < SENDS ->
	   if
	   :: to = OTHER(v)
	   :: to = (v + 2) % N
	   :: to = (v + 3) % N
	   fi;
	   expected[to]++;
	   post(v, to);
	   sent++
	:: expected[v] > 0 -> /* a receive; it may be early, late, or before all sends */
	   if
	   :: pending[v] == 0 -> state[v] = BLOCKED; hold(v)
	   :: else
	   fi;
	   assert(pending[v] > 0);
	   pending[v]--;
	   expected[v]--
	:: sent == SENDS && expected[v] == 0 -> break
	od;
	/* the end of a vp; what is sent to it later stays in its mailbox */
	state[v] = ENDED;
	live[CORE(v)]--;
	do
	:: true ->
	   if
	   :: live[CORE(v)] == 0 && live[1 - CORE(v)] == 0 -> holders[CORE(v)]--; break
	   :: else
	   fi;
	   look_up(CORE(v));
	   if
	   :: state[OTHER(v)] == READY -> pass(v, OTHER(v)); break
	   :: state[OTHER(v)] == BLOCKED || state[OTHER(v)] == ENDED -> idle(CORE(v))
	   fi
	od
}

init {
	atomic {
		run vp(0);
		run vp(1);
		run vp(2);
		run vp(3);
		word[0] = HAS;
		word[2] = HAS
	}
}
