cimport cython
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport gaps as gaps_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State


cdef void occupy_lowest(State state, long long row) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], places=cython.longlong[:, ::1], emptied=cython.longlong, begin=cython.longlong, stop=cython.longlong)
cdef void _take_lowest(State state, long long row, long long left, long long n) noexcept

@cython.locals(place=cython.longlong)
cdef void vacate_places(State state, long long row) noexcept

@cython.locals(places=cython.longlong[:, ::1], count=cython.longlong, left=cython.longlong, n=cython.longlong, first=cython.longlong, place=cython.longlong, begin=cython.longlong, stop=cython.longlong, kept=cython.longlong)
cdef void resize_places(State state, long long row, long long size) noexcept

@cython.locals(found=cython.longlong, place=cython.longlong, i=cython.longlong)
cdef long long count_of(State state, long long row, long long[::1] gone) noexcept

@cython.locals(count=cython.longlong, first=cython.longlong, places=cython.longlong[:, ::1], n=cython.longlong, place=cython.longlong, begin=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef void let_go(State state, long long row, long long[::1] gone) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], n=cython.longlong, i=cython.longlong, before=bint, after=bint)
cdef void give(State state, long long begin, long long stop) noexcept

@cython.locals(processor=cython.longlong, i=cython.longlong)
cdef long long go_down(State state, long long[::1] indices) noexcept

cdef long long come_back(State state, long long index) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], i=cython.longlong, stop=cython.longlong)
cdef void _remove(State state, long long processor) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long _first_from(State state, long long processor) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], n=cython.longlong, i=cython.longlong)
cdef void _insert(State state, long long place, long long begin, long long stop) noexcept

@cython.locals(gaps=cython.longlong[:, ::1], n=cython.longlong, i=cython.longlong)
cdef void _drop(State state, long long place, long long count) noexcept
