// Browsers let no page read its neighbours in a folder, so the search of a site that is opened there shows titles alone.
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
