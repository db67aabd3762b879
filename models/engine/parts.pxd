cimport cython
from libc cimport math
from thinktime.models.engine.structure cimport TimeAndCount
from thinktime.models.engine.estimates cimport Estimator
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources

cdef double INFINITY

cdef class Room:
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef TimeAndCount last_shadow(self, State state) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    cdef bint fits(self, State state, long long row, long long left) noexcept
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    cdef bint proposed_fits(self, State state, long long row, long long left) noexcept
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef long long take(self, State state, long long row, long long left) noexcept
    cdef long long give(self, State state, long long row, long long left) noexcept
    cdef long long copied(self, State state, long long head, long long left) noexcept
    cdef bint hopeless(self, State state, long long row, long long left) noexcept
    cdef bint held_back(self, State state, long long row, long long started) noexcept
    cdef void hold_back(self, State state, long long row, long long started) noexcept
    cdef bint fits_beside(self, State state, long long row, long long head, long long left, long long later) noexcept
    cdef bint possible(self, State state, long long row) noexcept
    cdef bint must_evict(self, State state, long long row) noexcept
    cdef bint in_the_way(self, State state, long long row, long long victim) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    cdef void give_up(self, State state, long long row, long long place, long long[::1] gone) noexcept
    cdef long long lost(self, State state, long long row, long long[::1] gone) noexcept
    cdef void resize(self, State state, long long row, long long place) noexcept
    cdef void cut_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void ask_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void note_part(self, State state, long long row, long long part) noexcept
    cdef void forget_part(self, State state) noexcept
    cpdef void plan_starts(self, State state, long long[::1] queue, long long[::1] rows) noexcept
    cdef double run_length(self, State state, long long row, double work) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept

cdef class Profiles:
    cdef void add_processors(self, State state, long long row, long long[:, ::1] table) noexcept
    cdef long long places(self, State state) noexcept
    cdef long long width(self, State state) noexcept
    cdef void step_at(self, State state, double time, Profile profile) noexcept
    cdef void change_step(self, State state, long long i, long long sign, long long[:, ::1] kept, Profile profile) noexcept
    cdef void copy_profile(self, State state, Profile profile, Profile to) noexcept
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef void without_windows(self, State state, double now, Profile profile) noexcept
    cdef void include_windows(self, State state, long long first, long long stop, double now, Profile profile) noexcept
    cdef void advance(self, State state, double now, Profile profile) noexcept
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(need=cython.longlong)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    cdef bint fits_as_reserved(self, State state, long long row, double begin, Profile profile) noexcept
    cdef bint part_holds(self, State state, long long part, double begin, double end, Profile profile) noexcept
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    cdef bint begin_sweep(self, State state) noexcept
    cdef bint crowds(self, State state) noexcept
    @cython.locals(least=cython.longlong, row=cython.longlong, i=cython.longlong)
    cdef long long narrowest(self, State state, long long[::1] rows) noexcept
    cdef long long left_now(self, State state, Profile profile) noexcept
    cdef void send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, Profile profile) noexcept
    cdef void more_from(self, State state, double now, Profile profile) noexcept

cdef class Changes:
    cdef void hit_suspended(self, State state, Truth truth, double now, long long[::1] failing, long long k) noexcept
    cdef void close_nodes(self, State state, long long window) noexcept
    cdef void open_nodes(self, State state, long long window) noexcept
    cdef long long clear(self, State state, Truth truth, double now, long long window, long long k) noexcept
    cdef bint stays(self, State state, long long row) noexcept
    cdef long long go_down(self, State state, long long[::1] indices) noexcept
    cdef long long come_back(self, State state, long long index) noexcept
    cdef bint never_starts(self, State state, long long row, double now) noexcept
    cdef void leave_nodes(self, State state, long long row, bint suspended) noexcept
    cpdef void let_go(self, State state, long long row) noexcept
    cdef double next_change(self, State state, Truth truth) noexcept
    cdef bint change(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef double next_return(self, State state) noexcept
    cdef bint preempt(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef bint leave_hopeless(self, State state, Truth truth, Rule rule, Sources sources, double now) except -1
    cdef void spare_victims(self, State state, long long[::1] rows) noexcept

