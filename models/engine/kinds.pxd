from thinktime.models.engine.changes cimport changes
from thinktime.models.engine.rooms cimport changing_nodes
from thinktime.models.engine.rooms cimport changing_room
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine cimport gaps
from thinktime.models.engine.changes cimport hopeless
from thinktime.models.engine.interruptions cimport interruptions
from thinktime.models.engine cimport leap
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.changes cimport node_changes
from thinktime.models.engine.rooms cimport node_room
from thinktime.models.engine cimport passes
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.structure cimport TimeAndCount
from thinktime.models.engine.estimates cimport Estimator
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources
from thinktime.models.engine.parts cimport Changes
from thinktime.models.engine.rooms.changing_node_profile cimport ChangingNodeProfiles
from thinktime.models.engine.rooms.changing_profile cimport ChangingProfiles
from thinktime.models.engine.rooms.node_profile cimport NodeProfiles
from thinktime.models.engine.rooms.pool_profile cimport PoolProfiles
from thinktime.models.engine.rooms.pool_room cimport PoolRoom

cdef class NodeRoom(PoolRoom):
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    cdef TimeAndCount last_shadow(self, State state) noexcept
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
    cpdef void plan_starts(self, State state, long long[::1] queue, long long[::1] rows) noexcept

cdef class ChangingRoom(PoolRoom):
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    cdef bint proposed_fits(self, State state, long long row, long long left) noexcept
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef bint possible(self, State state, long long row) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    cdef double run_length(self, State state, long long row, double work) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept

cdef class ChangingNodeRoom(NodeRoom):
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
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
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef long long take(self, State state, long long row, long long left) noexcept
    cdef long long give(self, State state, long long row, long long left) noexcept
    cdef bint hopeless(self, State state, long long row, long long left) noexcept
    cdef bint held_back(self, State state, long long row, long long started) noexcept
    cdef void hold_back(self, State state, long long row, long long started) noexcept
    cdef bint fits_beside(self, State state, long long row, long long head, long long left, long long later) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    cdef double run_length(self, State state, long long row, double work) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept

cdef class PoolChanges(Changes):
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

cdef class ChangingChanges(PoolChanges):
    cdef bint stays(self, State state, long long row) noexcept
    cdef double next_change(self, State state, Truth truth) noexcept
    cdef bint change(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef double next_return(self, State state) noexcept
    cdef bint preempt(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef bint leave_hopeless(self, State state, Truth truth, Rule rule, Sources sources, double now) except -1
    cdef void spare_victims(self, State state, long long[::1] rows) noexcept

cdef class ChangingNodeChanges(ChangingChanges):
    cdef void hit_suspended(self, State state, Truth truth, double now, long long[::1] failing, long long k) noexcept
    cdef void close_nodes(self, State state, long long window) noexcept
    cdef void open_nodes(self, State state, long long window) noexcept
    cdef long long clear(self, State state, Truth truth, double now, long long window, long long k) noexcept
    cdef long long go_down(self, State state, long long[::1] indices) noexcept
    cdef long long come_back(self, State state, long long index) noexcept
    cdef bint never_starts(self, State state, long long row, double now) noexcept
    cdef void leave_nodes(self, State state, long long row, bint suspended) noexcept
    cpdef void let_go(self, State state, long long row) noexcept
