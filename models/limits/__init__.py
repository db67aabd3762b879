"""The limits of a site at work: which jobs they keep from starting, and which submissions are refused."""
