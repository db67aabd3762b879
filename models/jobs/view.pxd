cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport questions
from thinktime.models.engine cimport room
from thinktime.models.engine.machine_state cimport State
from thinktime.models.jobs.proposed cimport Proposed
from thinktime.models.jobs.request cimport Request as Job
from thinktime.models.jobs.request cimport Source

cdef long long NEAR

cdef class View:
    cdef public bint outside
    cdef public object kept
    cdef public object requests
    cdef public Proposed proposed
    cdef public object nodes
    cdef public long long capacity
    cdef public long long free
    cdef public double grace
    cdef public object leaving
    cdef public double now
    cdef public long long skip
    cdef public long long up
    cdef readonly object _names
    cdef object _table
    cdef Source _source
    cdef object _site
    cdef object _meter
    cdef object _known
    cdef State _state
    cdef object _out
    cdef object _queue_array
    cdef object _running_array
    cdef bint _counted
    cdef bint _evicts
    cdef bint _given
    cdef long long _head
    cdef long long _count
    cdef long long _at_work
    cdef long long _size
    cdef list _listed
    cdef object _waiting
    cdef object _left_out
    cdef object _running
    @cython.locals(state=State)
    cpdef long long look(self, pool, double now) except -1
    cdef _slice(self)
    @cython.locals(twin=View)
    cdef View _twin(self)
    @cython.locals(row=cython.longlong, proposed=Proposed, state=State, time=cython.double, need=cython.longlong)
    cpdef bint _fits(self, job, at) except -1
    @cython.locals(request=Job)
    cdef long long _row_of(self, job) except -1
    @cython.locals(state=State, used=cython.longlong, chosen=cython.longlong[::1], gone=cython.longlong[::1], found=cython.double)
    cdef double _ask(self, long long row, double time) except? -9
    @cython.locals(n=cython.longlong, rows=cython.longlong[::1], i=cython.longlong)
    cdef long long[::1] _copied(self, list proposed)
    @cython.locals(before=list, source=Source, rows=cython.longlong[::1], listed=list, n=cython.longlong, j=cython.longlong, place=cython.longlong, row=cython.longlong, k=cython.longlong, stop=cython.longlong, job=Job)
    cdef _list_queue(self)
