/** Part of the page's style sheet. Lines differ in dashes and width, not only in colour. */
export const chartStyle: string = `
.chart{margin:var(--s3) 0 0;max-width:45rem}
.chart figcaption{margin-bottom:var(--s1)}
.chart>p{margin-top:var(--s1)}
.chart>svg{display:block;padding-left:4rem;padding-right:2px;overflow:visible;font-size:.75rem}
.chart.strip>svg{padding:0}
.chart text{fill:var(--text);stroke:var(--page);stroke-width:3px;paint-order:stroke;
stroke-linejoin:round}
.chart text.quiet{fill:var(--quiet)}.chart text.limit-name{fill:var(--critical)}
.chart text.last{font-weight:700}
.chart .end{text-anchor:end}.chart .middle{text-anchor:middle}
.chart path{fill:none;vector-effect:non-scaling-stroke}
.chart path.shade{fill:var(--critical);fill-opacity:.1}
.chart .grid{stroke:var(--line);stroke-width:1}
.chart .course{stroke:var(--text);stroke-width:1.75;stroke-linejoin:round}
.chart .ghost{stroke:var(--quiet);stroke-width:1.25;stroke-dasharray:1.5 3}
.chart .older{stroke-width:1;stroke-opacity:.8;stroke-dasharray:6 5}
.chart .limit{stroke:var(--critical);stroke-width:1.5;stroke-dasharray:7 4}
.chart .dots{stroke-width:4;stroke-linecap:round;stroke-dasharray:none}
.chart .mark{stroke:var(--quiet);stroke-width:1}
.chart .fired{stroke:var(--text)}.chart .began{stroke-dasharray:4 3}
.chart .now,.chart .event{stroke-dasharray:1 3}
.chart .areas path{pointer-events:all}
.chart .areas path:hover{fill:var(--text);fill-opacity:.08}
.spark{display:block;width:100%;max-width:24rem;height:2.5rem;margin-top:6px;overflow:visible}
.spark path{fill:none;vector-effect:non-scaling-stroke;stroke:var(--quiet)}
.spark .course{stroke:var(--text);stroke-width:1.75;stroke-linejoin:round}
.spark .dots{stroke-width:4;stroke-linecap:round}
.spark .moved{stroke-dasharray:4 3}
.spark .limit{stroke:var(--critical);stroke-dasharray:7 4}
.strip .bar{fill:var(--quiet);stroke:var(--quiet)}
.strip .this{fill:var(--critical);stroke:var(--critical)}
`;
