from thinktime.models.engine.end_groups cimport EndGroups
from thinktime.models.engine.parts cimport Changes, Profiles, Room
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.shortest cimport Shortest
from thinktime.models.engine.spare cimport Spare
from thinktime.models.engine.structure cimport Structure

cdef class State(Structure):
    cdef public Room room
    cdef public Profiles profiles
    cdef public Changes changes
    cdef public Spare spare
    cdef public Shortest shortest
    cdef public EndGroups end_groups
    cdef public Profile pass_profile
    cdef public Profile own_view
    cdef public Profile trial
    cdef public Profile base
    cdef public bint on_nodes
    cdef public bint changing
    cdef public object grow
    cdef public object grow_places
    cdef public object chooser
    cdef public long long idle
    cdef public long long in_queue
    cdef public long long at_work
    cdef public long long machine_size
    cdef public long long overrun
    cdef public long long head
    cdef public long long first_running
    cdef public long long stop_running
    cdef public long long fresh_count
    cdef public long long passed_over
    cdef public bint withheld
    cdef public long long out_of_turn
    cdef public double grace
    cdef public double shadow
    cdef public long long extra
    cdef public double sweep
    cdef public double sweep_phase
    cdef public double over_time_limit
    cdef public double last_wait
    cdef public bint limited
    cdef public long long limit_width
    cdef public long long limit_eligible
    cdef public bint limit_timed
    cdef public bint limit_leaves
    cdef public long long allocator
    cdef public bint alike
    cdef public bint anywhere
    cdef public bint plain
    cdef public bint single
    cdef public bint mixed
    cdef public long long most_places
    cdef public long long places_used
    cdef public long long found
    cdef public bint failed
    cdef public long long needed
    cdef public long long given_so_far
    cdef public long long stamp
    cdef public long long later_shape
    cdef public long long hope
    cdef public long long lowest_block
    cdef public double now
    cdef public double next_hold
    cdef public double next_known
    cdef public double then
    cdef public double requeue_delay
    cdef public long long down
    cdef public long long known_count
    cdef public long long open_for_some
    cdef public long long held_by_windows
    cdef public long long endless
    cdef public long long gap_count
    cdef public long long taken_count
    cdef public long long included
    cdef public long long news
    cdef public long long came_back
    cdef public bint repairs_told
    cdef public long long slots
    cdef public bint cancels
    cdef public bint requeues_now
    cdef public long long most_runs
    cdef public bint ranked
    cdef public bint youngest_first
    cdef public long long reorders
    cdef public bint strict_order
    cdef public bint requeues
    cdef public double notice_sweep
    cdef public double notice_phase
    cdef public double notice_retry
    cdef public long long victim_count
    cdef public long long leaving_count
    cdef public long long delayed_count
    cdef public bint again
    cdef public long long set_aside
    cdef public long long given_up
    cdef public bint fenced
    cdef public bint keeps_all
    cdef public long long power_cap
    cdef public long long power_free
    cdef public long long power_held
    cdef public long long power_endless
    cdef public long long power_left
    cdef public long long power_later
    cdef public long long power_included
    cdef public long long power_tried
    cdef public bint power_refuses
    cdef public bint shaped
    cdef public bint shrinks
    cdef public long long shrinking_count
    cdef public long long resize_count
    cdef public long long asking_count
    cdef public long long part
    cdef public long long part_shape
    cdef public long long budget_kind
    cdef public long long budget_ended
    cdef public long long budget_lows
    cdef public bint budget_varies
    cdef public double budget_until
    cdef public double budget_asked
    cdef public long long[::1] id
    cdef public long long[::1] user
    cdef public long long[::1] group
    cdef public long long[::1] campaign
    cdef public double[::1] submit
    cdef public double[::1] eligible
    cdef public long long[::1] processors
    cdef public double[::1] equivalents
    cdef public double[::1] requested
    cdef public double[::1] think_time
    cdef public double[::1] estimate
    cdef public double[::1] key
    cdef public double[::1] start
    cdef public double[::1] expected_end
    cdef public double[::1] promised
    cdef public double[::1] latest_start
    cdef public signed char[::1] state
    cdef public long long[::1] waiting
    cdef public long long[::1] running
    cdef public long long[::1] fresh
    cdef public double[::1] expected
    cdef public long long[::1] out
    cdef public long long[::1] scratch
    cdef public long long[::1] watts
    cdef public long long[::1] limit_home
    cdef public long long[::1] limit_group
    cdef public long long[::1] limit_first
    cdef public long long[::1] limit_entries
    cdef public long long[::1] limit_note
    cdef public long long[::1] limit_rows
    cdef public long long[::1] entry
    cdef public long long[::1] partition
    cdef public long long[::1] tiers
    cdef public double[::1] limit_meters
    cdef public double[::1] limit_amounts
    cdef public double[::1] limit_since
    cdef public signed char[::1] limit_bar
    cdef public long long[::1] budget_owner
    cdef public long long[::1] budget_account
    cdef public long long[::1] budget_over
    cdef public long long[::1] budget_size
    cdef public long long[::1] budget_first
    cdef public double[::1] budget_wanted
    cdef public double[::1] budget_opens
    cdef public double[::1] budget_left
    cdef public double[::1] budget_tried
    cdef public double[::1] budget_whole
    cdef public double[::1] budget_begin
    cdef public double[::1] budget_end
    cdef public double[::1] budget_earlier
    cdef public double[::1] budget_weights
    cdef public double[::1] budget_clocks
    cdef public signed char[::1] budget_marks
    cdef public long long[:, ::1] free
    cdef public long long[:, ::1] capacity
    cdef public long long[::1] first
    cdef public long long[::1] pieces
    cdef public long long[:, ::1] need
    cdef public signed char[:, ::1] mask
    cdef public signed char[::1] apart
    cdef public signed char[::1] alone
    cdef public signed char[::1] possible
    cdef public long long[::1] shape
    cdef public long long[::1] offset
    cdef public long long[::1] size
    cdef public long long[::1] held
    cdef public long long[:, ::1] places
    cdef public signed char[::1] planned
    cdef public signed char[::1] taken
    cdef public long long[::1] memo
    cdef public long long[::1] tried
    cdef public long long[::1] lowest
    cdef public long long[::1] given
    cdef public double[::1] blocked
    cdef public long long[:, ::1] left
    cdef public long long[:, ::1] idle_left
    cdef public long long[:, ::1] later
    cdef public long long[:, ::1] low
    cdef public long long[::1] blocks
    cdef public long long[::1] runs
    cdef public long long[::1] rank
    cdef public double[::1] done
    cdef public double[::1] first_start
    cdef public double[::1] checkpoint
    cdef public double[::1] cost
    cdef public double[::1] restart
    cdef public double[::1] notice
    cdef public double[::1] ready
    cdef public signed char[::1] lasting
    cdef public signed char[::1] leaves
    cdef public signed char[::1] suspended
    cdef public long long[::1] kept
    cdef public long long[::1] keeper
    cdef public long long[::1] precedence
    cdef public double[::1] booked
    cdef public double[::1] booked_until
    cdef public double[::1] classes
    cdef public double[::1] opens
    cdef public double[::1] closes
    cdef public long long[::1] amount
    cdef public long long[::1] manner
    cdef public long long[::1] slot
    cdef public long long[::1] window_watts
    cdef public long long[::1] first_user
    cdef public long long[::1] users
    cdef public long long[::1] first_id
    cdef public long long[::1] ids
    cdef public long long[::1] known
    cdef public long long[::1] victims
    cdef public long long[::1] leaving
    cdef public long long[::1] delayed
    cdef public long long[::1] outages
    cdef public double[::1] back
    cdef public long long[::1] broken
    cdef public long long[:, ::1] gaps
    cdef public long long[::1] remaining
    cdef public long long[::1] first_node
    cdef public long long[::1] window_nodes
    cdef public long long[::1] taken_rows
    cdef public long long[::1] form
    cdef public long long[::1] form_first
    cdef public long long[::1] form_sizes
    cdef public long long[::1] form_nodes
    cdef public long long[::1] form_preferred
    cdef public double[::1] form_rates
    cdef public double[::1] form_cost
    cdef public double[::1] form_gap
    cdef public double[::1] form_notice
    cdef public signed char[::1] form_malleable
    cdef public double[::1] rate
    cdef public double[::1] pause
    cdef public double[::1] run_began
    cdef public double[::1] resized
    cdef public double[::1] still_from
    cdef public double[::1] shrinks_at
    cdef public long long[::1] shrinks_to
    cdef public long long[::1] shrinking
    cdef public long long[::1] resizes
    cdef public long long[::1] resizes_to
    cdef public long long[::1] more_offset
    cdef public long long[::1] more_size
    cdef public long long[::1] asking
    cdef public long long[::1] asks_for
    cdef public signed char[::1] insists
