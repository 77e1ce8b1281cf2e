// SPDX-License-Identifier: MIT
// A queue of work: rank 0 gives it out, the others ask for it until there is none left.
#include <gtest/gtest.h>
#include <logp/logp.h>

#include <memory>
#include <string>
#include <vector>

namespace
{

enum Tag { ask = 1, work = 2 };
constexpr int none = -1;

struct Queue {
    int items = 6;
    bool forgets_one = false; // the fault: one that asks is not told that there is no more
    std::vector<int> done;
};

struct Counted { // is it destroyed, however the program ends?
    static int alive;
    Counted()
    {
        alive++;
    }
    ~Counted()
    {
        alive--;
    }
};
int Counted::alive = 0;

int give_out(struct logp_vp *vp, const Queue &queue)
{
    int rc = 0, next = 0;

    for (int told = 0; rc == 0 && told < logp_vp_size(vp) - 1 - queue.forgets_one;) {
        struct logp_status status;
        int item = next < queue.items ? next++ : none;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, ask, nullptr, 0, &status);
        if (rc == 0)
            rc = logp_send(vp, status.source, work, &item, sizeof(item));
        told += item == none;
    }
    return rc;
}

int program(struct logp_vp *vp, void *arg)
{
    auto &queue = *static_cast<Queue *>(arg);
    auto counted = std::make_unique<Counted>();
    int rc = 0, item = 0;

    if (logp_vp_rank(vp) == 0)
        return give_out(vp, queue);
    while (rc == 0 && item != none) {
        rc = logp_send(vp, 0, ask, nullptr, 0);
        if (rc == 0)
            rc = logp_recv(vp, 0, work, &item, sizeof(item), nullptr);
        if (rc == 0 && item != none) {
            rc = LOGP_CHECK(vp, item < queue.items);
            queue.done.push_back(item);
        }
    }
    return rc;
}

int before(int, void *arg)
{
    static_cast<Queue *>(arg)->done.clear();
    return 0;
}

int all_done_once(const struct logp_report *, void *arg)
{
    const auto &queue = *static_cast<Queue *>(arg);
    std::vector<int> times(queue.items);

    for (int item : queue.done)
        times[item]++;
    return times == std::vector<int>(queue.items, 1) ? 0 : -1;
}

struct logp_check settings(const std::vector<int> &sizes)
{
    struct logp_check check = {};

    check.sizes = sizes.data();
    check.n_sizes = static_cast<int>(sizes.size());
    check.seed = 1;
    check.before = before;
    check.after = all_done_once;
    return check;
}

} // namespace

TEST(Queue, EachItemIsDoneOnce)
{
    const std::vector<int> sizes = {2, 3, 8};
    struct logp_check check = settings(sizes);
    struct logp_failure failure;
    Queue queue;

    EXPECT_EQ(logp_check(program, &queue, &check, &failure), 0) << failure.text;
    EXPECT_EQ(Counted::alive, 0);
    logp_failure_free(&failure);
}

TEST(Queue, OneThatIsForgottenWaits)
{
    const std::vector<int> sizes = {2, 3, 8};
    struct logp_check check = settings(sizes);
    struct logp_failure failure, again;
    Queue queue;

    queue.forgets_one = true;
    EXPECT_EQ(logp_check(program, &queue, &check, &failure), -EDEADLK);
    EXPECT_EQ(failure.kind, LOGP_FAILURE_DEADLOCK);
    EXPECT_NE(std::string(failure.text).find("waits for a message from rank 0"), std::string::npos);
    EXPECT_EQ(logp_check_replay(program, &queue, &check, failure.replay, &again), -EDEADLK);
    EXPECT_STREQ(failure.replay, again.replay);
    EXPECT_EQ(Counted::alive, 0);
    logp_failure_free(&failure);
    logp_failure_free(&again);
}
