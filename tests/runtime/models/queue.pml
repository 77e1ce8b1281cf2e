/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of a vp: liburcu's wait-free queue, with producers on several cores and the holder of its
 * vp's core as the consumer. The memory of messages is used again, so a payload that is read too early is
 * an old one.
 *
 * spin runs one step after the other. The one order that matters here is that of two loads, of the link to
 * a message and of its payload: a view of the consumer stands for it. A load of a payload reads the view,
 * which may be older than the memory. A fence renews it.
 *
 * Checked: what a producer sends is delivered in that order and once, with its payload (assert); all is
 * delivered (ltl).
 *
 * An #ifdef is a mutation, which must be found: see check.
 */
#define PRODUCERS 2
#define EACH 2
#define MESSAGES (PRODUCERS * EACH)

/* nodes: 1 .. MESSAGES are messages */
#define NONE 0
#define HEAD (MESSAGES + 1)

byte next[HEAD + 1];
byte tail = NONE; /* zero: no message has been sent to this vp yet */
byte payload[HEAD + 1], view[HEAD + 1];

byte delivered[PRODUCERS], n_delivered; /* ghosts */

/* ---- producers ---- */

/* begin_queue() */
inline begin_queue()
{
	if
#ifdef BEGIN_WITHOUT_COMPARING
	:: tail == NONE -> tail = HEAD
#else
	:: tail == NONE ->
	   if
	   :: atomic { tail == NONE -> tail = HEAD }
	   :: tail != NONE
	   fi
#endif
	:: else
	fi
}

/* lpi_queue_push(): the exchange of the tail is a full barrier */
inline push(node)
{
	begin_queue();
	next[node] = NONE;
#ifdef LINK_BEFORE_THE_PAYLOAD
	atomic { last = tail; tail = node };
	next[last] = node;
	payload[node] = node
#else
	payload[node] = node;
	atomic { last = tail; tail = node };
	next[last] = node
#endif
}

proctype producer(byte me)
{
	byte i = 1, last;

	do
	:: i <= EACH -> push(me * EACH + i); i++
	:: else -> break
	od
}

/* ---- the consumer ---- */

inline fence()
{
	d_step {
		k = 1;
		do
		:: k <= MESSAGES -> view[k] = payload[k]; k++
		:: else -> break
		od;
		k = 0
	}
}

/* __cds_wfcq_dequeue_nonblocking(): node is NONE if the queue is empty, or while an append is half done */
inline dequeue()
{
	node = next[HEAD];
	if
	:: node == NONE
	:: node != NONE && next[node] != NONE -> next[HEAD] = next[node]
	:: node != NONE && next[node] == NONE ->
	   next[HEAD] = NONE;
	   if
	   :: atomic { tail == node -> tail = HEAD; fence() } /* the compare-exchange is a full barrier */
	   :: tail != node ->
	      if
	      :: next[node] != NONE -> next[HEAD] = next[node]
	      :: next[node] == NONE ->
#ifndef HALF_AN_APPEND_LOSES_THE_HEAD
	         next[HEAD] = node;
#endif
	         node = NONE
	      fi
	   fi
	fi
}

/* lpi_queue_pop(), and what reads the message */
proctype consumer()
{
	byte node, k;

	do
	:: n_delivered == MESSAGES -> break
	:: n_delivered < MESSAGES && tail != NONE ->
	   dequeue();
	   if
	   :: node != NONE ->
#ifndef NO_ACQUIRE
	      fence();
#endif
	      assert(view[node] == node);
	      delivered[(node - 1) / EACH]++;
	      assert(delivered[(node - 1) / EACH] == (node - 1) % EACH + 1);
	      n_delivered++
	   :: else
	   fi
	od
}

init {
	atomic { run producer(0); run producer(1); run consumer() }
}

ltl all_is_delivered { <> (n_delivered == MESSAGES) }
