/* SPDX-License-Identifier: MIT */
/* Values and layouts of the standard ABI: MPI 5.0, chapter 20 and annex A. */
#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#define IS(name, value) _Static_assert((intptr_t)(name) == (value), #name)
_Static_assert(sizeof(MPI_Status) == 32, "a status has 8 ints");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, "source");
_Static_assert(offsetof(MPI_Status, MPI_TAG) == 4, "tag");
_Static_assert(offsetof(MPI_Status, MPI_ERROR) == 8, "error");
_Static_assert(sizeof(MPI_Aint) == sizeof(void *) && sizeof(MPI_Offset) == 8 &&
                   sizeof(MPI_Count) == 8 && sizeof(MPI_Comm) == sizeof(void *),
               "sizes");
IS(MPI_ANY_SOURCE, -1);
IS(MPI_ANY_TAG, -2);
IS(MPI_PROC_NULL, -3);
IS(MPI_ROOT, -4);
IS(MPI_UNDEFINED, -32766);
IS(MPI_ERR_TRUNCATE, 15);
IS(MPI_ERR_IN_STATUS, 19);
IS(MPI_ERR_LASTCODE, 16383);
IS(MPI_THREAD_MULTIPLE, 4096);
IS(MPI_IDENT, 201);
IS(MPI_UNEQUAL, 204);
IS(MPI_CART, 211);
IS(MPI_DIST_GRAPH, 213);
IS(MPI_TAG_UB, 501);
IS(MPI_APPNUM, 505);
IS(MPI_LASTUSEDCODE, 506);
IS(MPI_UNIVERSE_SIZE, 507);
IS(MPI_SEEK_CUR, 401);
IS(MPI_SEEK_END, 402);
IS(MPI_SEEK_SET, 403);
IS(MPI_ERR_ABI, 62);
IS(MPI_COMBINER_VALUE_INDEX, 117);
IS(MPI_COMM_TYPE_RESOURCE_GUIDED, 224);
IS(MPI_WIN_BASE, 601);
IS(MPI_WIN_MODEL, 605);
IS(MPI_LOCK_EXCLUSIVE, 301);
IS(MPI_WIN_FLAVOR_SHARED, 314);
IS(MPI_MODE_NOCHECK, 1024);
IS(MPI_MODE_NOSUCCEED, 16384);
IS(MPI_COMBINER_NAMED, 101);
IS(MPI_COMBINER_F90_REAL, 113);
IS(MPI_COMBINER_RESIZED, 116);
IS(MPI_TYPECLASS_INTEGER, 192);
IS(MPI_TYPECLASS_COMPLEX, 194);
IS(MPI_ERR_RMA_SYNC, 50);
IS(MPI_T_ERR_CANNOT_INIT, 1001);
IS(MPI_T_ERR_PVAR_NO_ATOMIC, 1018);
IS(MPI_T_VERBOSITY_USER_BASIC, 0x09);
IS(MPI_T_VERBOSITY_MPIDEV_ALL, 0x24);
IS(MPI_T_BIND_NO_OBJECT, 1);
IS(MPI_T_BIND_MPI_INFO, 11);
IS(MPI_T_SCOPE_CONSTANT, 1);
IS(MPI_T_SCOPE_ALL_EQ, 7);
IS(MPI_T_PVAR_CLASS_STATE, 1);
IS(MPI_T_PVAR_CLASS_GENERIC, 10);

/* Handles are no constant expressions. */
#define SAME(name, value) ((intptr_t)(name) == (value))

int main(void)
{
    const int all =
        SAME(MPI_OP_NULL, 0x20) && SAME(MPI_SUM, 0x21) && SAME(MPI_MAXLOC, 0x39) &&
        SAME(MPI_LXOR, 0x32) && SAME(MPI_BXOR, 0x2a) && SAME(MPI_COMM_NULL, 0x100) &&
        SAME(MPI_COMM_WORLD, 0x101) && SAME(MPI_COMM_SELF, 0x102) && SAME(MPI_GROUP_EMPTY, 0x109) &&
        SAME(MPI_REQUEST_NULL, 0x180) && SAME(MPI_MESSAGE_NO_PROC, 0x129) &&
        SAME(MPI_ERRORS_ABORT, 0x142) && SAME(MPI_CHARACTER, 0x21e) && SAME(MPI_INFO_NULL, 0x130) &&
        SAME(MPI_ERRORS_RETURN, 0x143) && SAME(MPI_INT, 0x209) && SAME(MPI_DOUBLE, 0x214) &&
        SAME(MPI_BYTE, 0x247) && SAME(MPI_CHAR, 0x243) && SAME(MPI_FLOAT, 0x210) &&
        SAME(MPI_LONG, 0x20a) && SAME(MPI_DOUBLE_INT, 0x229) && SAME(MPI_2INT, 0x22b) &&
        SAME(MPI_INT64_T, 0x258) && SAME(MPI_C_BOOL, 0x238) && SAME(MPI_IN_PLACE, 1) &&
        SAME(MPI_STATUS_IGNORE, 0) && SAME(MPI_WIN_NULL, 0x110) && SAME(MPI_REPLACE, 0x3c) &&
        SAME(MPI_NO_OP, 0x3d) && SAME(MPI_UNWEIGHTED, 10) && SAME(MPI_WEIGHTS_EMPTY, 11) &&
        SAME(MPI_BOTTOM, 0);

    return all ? 0 : 1;
}
