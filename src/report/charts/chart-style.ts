/**
 * Part of the page's style sheet. Lines differ in dashes and width, not only in colour. Their
 * styles begin at `.lines`, as a plot that is drawn twice leaves what is around it behind.
 */
export const chartStyle: string = `
.chart{margin:0;position:relative}
.chart.large figcaption{margin-bottom:var(--s1)}
.chart>p{margin-top:var(--s1)}
.chart>svg{display:block;padding-left:4rem;padding-right:2px;overflow:visible;font-size:.75rem}
.chart.strip>svg{padding:0}
.chart text{fill:var(--text);stroke:var(--page);stroke-width:3px;paint-order:stroke;
stroke-linejoin:round}
.chart text.quiet{fill:var(--quiet)}.chart text.limit-name{fill:var(--critical)}
.chart text.last{font-weight:700}
.chart .end{text-anchor:end}.chart .middle{text-anchor:middle}
.lines path{fill:none;vector-effect:non-scaling-stroke}
.lines path.shade{fill:var(--critical);fill-opacity:.1}
.lines .grid{stroke:var(--line);stroke-width:1}
.lines .course{stroke:var(--text);stroke-width:1.75;stroke-linejoin:round}
.lines .ghost{stroke:var(--quiet);stroke-width:1.25;stroke-dasharray:1.5 3}
.lines .older{stroke-width:1;stroke-opacity:.8;stroke-dasharray:6 5}
.lines .limit{stroke:var(--critical);stroke-width:1.5;stroke-dasharray:7 4}
.lines .dots{stroke-width:4;stroke-linecap:round;stroke-dasharray:none}
.lines .mark{stroke:var(--quiet);stroke-width:1}
.lines .fired{stroke:var(--text)}.lines .began{stroke-dasharray:4 3}
.lines .event,.lines .notified{stroke-dasharray:1 3}
.lines .moved{stroke:var(--accent);stroke-width:3}
.far,body:has(#far:checked) .near{display:none}
body:has(#far:checked) .far{display:inline}
.hair{position:absolute;width:0;border-left:1px solid var(--accent);pointer-events:none}
.reading{position:absolute;right:0;padding:0 4px;font-size:.75rem;font-weight:600;
background:var(--page);color:var(--accent);pointer-events:none}
@media print{.hair,.reading{display:none}}
.spark{display:block;width:100%;max-width:24rem;height:2.5rem;margin-top:6px;overflow:visible}
.spark path{fill:none;vector-effect:non-scaling-stroke;stroke:var(--quiet)}
.spark .course{stroke:var(--text);stroke-width:1.75;stroke-linejoin:round}
.spark .dots{stroke-width:4;stroke-linecap:round}
.spark .moved{stroke-dasharray:4 3}
.spark .limit{stroke:var(--critical);stroke-dasharray:7 4}
.strip .bar{fill:var(--quiet);stroke:var(--quiet)}
.strip .this{fill:var(--critical);stroke:var(--critical)}
`;
