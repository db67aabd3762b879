cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport hazards as codes
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY, FAR, SHORT, HOUR

cdef class Hazards(Structure):
    cdef public double total
    cdef public double low
    cdef public long long[::1] shape
    cdef public double[::1] edges
    cdef public long long[::1] regime
    cdef public double[::1] base
    cdef public double[::1] clock
    cdef public double[::1] sums
    cdef public double[::1] effects
    cdef public long long[::1] cells
    cdef public double[::1] first_hour
    cdef public double[::1] break_after
    cdef public long long[::1] table
    cdef public long long[::1] kind
    cdef public long long[::1] level_of
    cdef public double[::1] levels
    cdef public long long[::1] first
    cdef public long long[::1] stop
    cdef public long long[::1] shift
    cdef public long long[::1] following
    cdef public long long[::1] latest
    cdef public long long[::1] outstanding
    cdef public long long[::1] position
    cdef public long long[::1] over_last
    cdef public long long[::1] bins
    cdef public long long[::1] paused
    cdef public double[::1] submitted
    cdef public double[::1] ended
    cdef public double[::1] walked
    cdef public double[::1] gathered
    cdef public double[::1] gathered_low
    cdef public double[::1] reach
    cdef public double[::1] ahead
    cdef public double[::1] ahead_total
    cdef public double[::1] ahead_low
    cdef public long long[::1] count
    cdef public long long[::1] over
    cdef public double[::1] begun
    cdef public double[::1] span
    cdef public double[::1] last_end
    cdef public long long[::1] last_job
    cdef public double[::1] last_run
    cdef public double[::1] residual
    cdef public double[::1] residual_low
    cdef public double[::1] extra
    cdef public double[::1] least

@cython.locals(place=cython.longlong, begin=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long bin_of(Hazards hazards, long long table, long long what, double value) noexcept

@cython.locals(own=cython.longlong, j=cython.longlong, place=cython.longlong, bins=cython.longlong, total=cython.double)
cdef double _factor(Hazards hazards, long long user, long long row, long long regime) noexcept

@cython.locals(shape=cython.longlong[::1], edges=cython.double[::1], table=cython.longlong, own=cython.longlong, ages=cython.longlong, ends=cython.longlong, ages_stop=cython.longlong, ends_stop=cython.longlong, wide=cython.longlong, long=cython.longlong, age=cython.longlong, late=cython.longlong, state=cython.longlong, regime=cython.longlong, row=cython.longlong, place=cython.longlong, time=cython.double, since=cython.double, end=cython.double, factor=cython.double, rate=cython.double, stop=cython.double, found=cython.double, total=cython.double, low=cython.double, cells=cython.longlong, first=cython.double, border=cython.double, speed=cython.double, then=cython.double, rest=cython.double, hour=cython.longlong, cell=cython.longlong, in_days=bint, day=cython.double)
cdef double walk(Hazards hazards, long long user, double until, double target, double low_target, double enough=*) noexcept

cdef double _pause(Hazards hazards, long long user, long long where, double time, double total, double low) noexcept

@cython.locals(own=cython.longlong, first=cython.double, day=cython.longlong)
cdef double _next_day(Hazards hazards, long long table, double time) noexcept

cdef long long _hour_of(double since) noexcept

@cython.locals(days=cython.longlong, period=cython.longlong)
cdef long long _day_of(Hazards hazards, long long own, long long day) noexcept

@cython.locals(day=cython.longlong)
cdef long long _cell(Hazards hazards, long long own, long long hour) noexcept

@cython.locals(own=cython.longlong, days=cython.longlong, period=cython.longlong, sums=cython.longlong, clock=cython.longlong, cells=cython.longlong, day=cython.longlong, last=cython.longlong, place=cython.longlong, known=cython.longlong, weeks=cython.longlong, later=cython.longlong, hour=cython.longlong, first=cython.double, total=cython.double, low=cython.double, then=cython.double, rest=cython.double, more=cython.double, border=cython.double, speed=cython.double, clocked=cython.double, after=cython.double, whole=bint)
cdef double _walk_hours(Hazards hazards, long long table, long long row, double rate, double time, double stop, double target, double low_target) noexcept

cdef double _reached(double total, double low, double target, double low_target, double speed, double time, double border) noexcept

@cython.locals(day=cython.longlong, week=cython.double, weeks=cython.double)
cdef (long long, double) _whole_weeks(Hazards hazards, long long sums, long long period, double rate, double target) noexcept

@cython.locals(then=cython.double, back=cython.double)
cdef (double, double) _added(double total, double low, double more) noexcept

@cython.locals(own=cython.longlong, residual=cython.double, low=cython.double, gathered=cython.double)
cdef bint predict(Hazards hazards, long long user, double enough) noexcept

@cython.locals(own=cython.longlong, found=cython.double)
cdef void go_further(Hazards hazards, long long user, double enough) noexcept

cdef void _advance(Hazards hazards, long long user, double now) noexcept

@cython.locals(table=cython.longlong, bins=cython.longlong, done=cython.longlong, whole=bint, response=cython.double, slowdown=cython.double)
cdef bint job_over(Hazards hazards, long long user, long long batch, long long job, double now, double run, long long seen) noexcept

@cython.locals(table=cython.longlong, bins=cython.longlong)
cdef void submit(Hazards hazards, long long user, long long batch, double now, long long seen) noexcept
