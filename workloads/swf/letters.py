"""The bytes that logs are made of, by their codes."""

TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE = b"\t\n\f\r "
PLUS, MINUS, POINT, ZERO, SEMICOLON, LARGE_E, SMALL_E = b"+-.0;Ee"
