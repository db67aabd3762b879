from thinktime.models.engine.hazards cimport Hazards
from thinktime.models.engine.structure cimport Structure

cdef class Truth(Structure):
    cdef public object answers
    cdef public object events
    cdef public Hazards hazards
    cdef public long long over
    cdef public long long given
    cdef public long long to_come
    cdef public long long arrived_count
    cdef public long long turned_away
    cdef public long long table_count
    cdef public long long ended_watches
    cdef public long long told_count
    cdef public long long begun_count
    cdef public long long hit_count
    cdef public long long campaign_count
    cdef public long long due_count
    cdef public long long next_turn
    cdef public long long next_stamp
    cdef public long long known_rows
    cdef public long long next_id
    cdef public long long explained
    cdef public long long who
    cdef public long long changes_done
    cdef public long long changes_known
    cdef public long long logged
    cdef public long long impatient
    cdef public long long seen
    cdef public long long in_sight
    cdef public long long before
    cdef public bint stirred
    cdef public bint urgent
    cdef public bint wishes
    cdef public bint prolongs
    cdef public bint observed
    cdef public bint foresees
    cdef public double next_end
    cdef public double last_end
    cdef public double next_arrival
    cdef public double next_ask
    cdef public double next_release
    cdef public double reached
    cdef public double next_change
    cdef public double asked_at
    cdef public double balked_at
    cdef public double[::1] runtime
    cdef public double[::1] end
    cdef public signed char[::1] fate
    cdef public long long[::1] watch
    cdef public signed char[::1] attention
    cdef public long long[::1] ending
    cdef public double[::1] times
    cdef public long long[::1] arrived
    cdef public long long[::1] tables
    cdef public long long[::1] stops
    cdef public long long[::1] told
    cdef public long long[::1] begun
    cdef public long long[::1] left
    cdef public long long[::1] watches
    cdef public long long[::1] campaigns
    cdef public long long[::1] following
    cdef public long long[::1] done
    cdef public signed char[::1] reason
    cdef public long long[::1] limit
    cdef public double[::1] patience
    cdef public double[::1] change_time
    cdef public double[::1] change_until
    cdef public signed char[::1] change_what
    cdef public long long[::1] change_which
    cdef public long long[::1] hit
    cdef public double[::1] log
    cdef public long long[::1] job
    cdef public long long[::1] stop_job
    cdef public long long[::1] link
    cdef public long long[::1] stop_link
    cdef public long long[::1] missing
    cdef public long long[::1] unfinished
    cdef public double[::1] release
    cdef public double[::1] since
    cdef public long long[::1] last
    cdef public long long[::1] turn
    cdef public long long[::1] stamp
    cdef public long long[::1] total
    cdef public signed char[::1] manner
    cdef public double[::1] until
    cdef public double[::1] shift
    cdef public double[::1] last_begin
    cdef public double[::1] crowd
    cdef public long long[::1] code
    cdef public long long[::1] rhythm
    cdef public long long[::1] due
    cdef public long long[::1] spot
    cdef public long long[::1] sight
    cdef public long long[::1] person
    cdef public signed char[::1] balked
    cdef public signed char[::1] responds
    cdef public long long[::1] members
    cdef public double[::1] offset
    cdef public long long[::1] after
    cdef public double[::1] think
    cdef public double[::1] gap
    cdef public double[::1] thought
    cdef public double[::1] rest
    cdef public double[::1] begin
    cdef public long long[::1] jobs
    cdef public signed char[::1] overlaps
    cdef public double[::1] endures
    cdef public double[::1] length
    cdef public double[::1] asked
    cdef public long long[::1] width
    cdef public double[::1] active
    cdef public double[::1] pace
    cdef public double[::1] form_true_rates
    cdef public double[::1] true_rate
    cdef public double[::1] worked
    cdef public double[::1] asks_at
    cdef public double[::1] ask_share
    cdef public long long[::1] form_asks
    cdef public long long[::1] ask_place
    cdef public long long[::1] next_ask_of
    cdef public signed char[::1] ask_insists
    cpdef bint has_news(self)
