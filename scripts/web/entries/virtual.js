// Which rows of a long table are in sight.
export { Virtualizer, windowScroll, observeWindowOffset, observeWindowRect, defaultRangeExtractor } from "@tanstack/virtual-core";
