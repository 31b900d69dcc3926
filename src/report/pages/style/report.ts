/** Sections of a report's page. */
export const reportStyle: string = `
.verdict{padding:0 0 var(--s3);border:0}
.kicker{font-size:var(--small);font-weight:600;color:var(--quiet);margin:0}
.lead{display:flex;flex-wrap:wrap;align-items:center;gap:0 var(--s3)}
.cause{font-size:1.0625rem;line-height:1.35}
.cause.strong{font-size:var(--large);font-weight:600}
.certainty>summary{padding:3px 0 3px 1.1em;min-height:24px;font-size:var(--small);font-weight:600}
.certainty[open]{flex-basis:100%;padding-bottom:var(--s2)}
.reasons li{padding-left:1.4em;text-indent:-1.4em;margin-top:var(--s1)}
.mark{display:inline-block;width:1.4em;text-indent:0;font-weight:700}
.first{margin-top:var(--s2);padding:var(--s1) var(--s3) var(--s2);background:var(--raised);
border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:4px}
.first .graph{display:flex;flex-wrap:wrap;align-items:center;gap:0 var(--s4);margin-top:var(--s1)}
.first .button{background:var(--page)}.first details[open]{flex-basis:100%}
.first .kicker{color:var(--accent)}
.action{font-weight:600}
.first .command{max-height:10rem;overflow-y:auto}
.links{display:flex;flex-wrap:wrap;gap:var(--s2);padding:0 0 var(--s2)}
.links>details[open]{flex-basis:100%;max-width:var(--measure);order:1}
.links>details[open]>*+*{margin-top:var(--s2)}
.links summary{display:inline-flex;align-items:center;border:1px solid var(--line);
border-radius:4px;padding:var(--s1) var(--s3);font-size:.9375rem}
.links summary::before{content:none}
@media (max-width:30rem){.links{gap:6px}
.links>.button,.links>details>summary{padding:var(--s1) 6px;font-size:.8125rem}}
.more>p{display:flex;flex-wrap:wrap;gap:var(--s2)}
.zoom label{display:flex;align-items:center;gap:var(--s2);min-height:24px}
.zoom input{width:16px;min-height:16px;margin:0;flex:none;accent-color:var(--accent)}
.key{margin:var(--s1) 0 var(--s2)}
.key b{display:inline-block;min-width:1.1em}
#changes .chart+.chart,
#changes .chart+ul,#changes ul+details{margin-top:var(--s2)}
#related .items>li+li,#findings .items>li+li{margin-top:var(--s1)}
#findings .items,#related .items{font-size:var(--small)}
.chart.small>svg{margin-top:5px}
#changes figcaption{font-size:var(--small);line-height:1.35}
.map text{fill:var(--text);font-size:.8125rem}.map .name{font-weight:700}
.map .quiet{fill:var(--quiet);font-size:.75rem}
.map rect{fill:var(--raised);stroke:var(--line)}
.map .failing rect{stroke:var(--critical)}.map .failing .name{fill:var(--critical)}
.map .innocent rect{stroke:var(--resolved)}.map .innocent .name{fill:var(--resolved)}
.map .origin rect{stroke-width:3}
.lanes .bar{fill:var(--tone)}.lanes text{font-size:.75rem}
.map .arrow{fill:none;stroke:var(--quiet);stroke-width:1.5}
.steps{counter-reset:step;margin-top:var(--s2)}
.steps>li{padding-left:2rem;position:relative;counter-increment:step}
.steps>li+li{margin-top:var(--s4)}
.steps>li::before{content:counter(step) ".";position:absolute;left:0;font-weight:700;
color:var(--quiet)}
.steps .small{margin-top:var(--s2)}
.steps .rows{grid-template-columns:max-content minmax(0,1fr)}
.hypotheses>li{border-left:3px solid var(--line);padding-left:var(--s3)}
.hypotheses>li+li{margin-top:var(--s3)}
.hypotheses li p,.hypotheses li ul{margin-top:var(--s1)}
.sides li{padding-left:1.4em;text-indent:-1.4em;margin-top:2px}
.events,.moments{display:grid;grid-template-columns:fit-content(14rem) minmax(0,1fr)}
.events>li,.moments>li{display:grid;grid-column:1/-1;grid-template-columns:subgrid;
gap:0 var(--s4);padding:var(--s1) 0}
.events>li{padding:2px 0 2px var(--s4);border-left:2px solid var(--line);
position:relative}
.events>li::before{content:"";position:absolute;left:-5px;top:.45rem;width:8px;height:8px;
border-radius:50%;background:var(--page);border:2px solid var(--quiet)}
.events>.event-started::before{background:var(--text);border-color:var(--text)}
.events>.event-resolved::before{background:var(--resolved);border-color:var(--resolved)}
.events>.event-change::before{border-radius:0;transform:rotate(45deg)}
.cites{font-size:var(--small)}
#related li>a{display:inline-block;padding:3px 0}
.cites a{padding:6px 2px;white-space:nowrap}
#evidence article+article{border-top:1px solid var(--line)}
#evidence .source>summary h3{display:inline}
#evidence .small>a{display:inline-block;padding:5px 0}
#evidence .source>:not(summary){margin-left:1.1em}
#evidence details>p,#evidence details>ul,#evidence details>dl{margin-top:var(--s1)}
#evidence details[open]{padding-bottom:var(--s4)}
summary>h3,summary>h4{display:inline;color:var(--text)}
#evidence h4{font-weight:400;margin:0}#evidence .id{font-weight:600}
.gist{display:block;color:var(--quiet);font-size:var(--small)}
html:not([data-script]) article:target>details::details-content{content-visibility:visible;
block-size:auto}
#evidence .copyable button{min-height:2rem;padding:0 var(--s3);font-size:var(--small)}
.id{display:inline-block;min-width:2.4rem;color:var(--quiet);margin-right:.5em}
.written{border:1px dashed var(--line);border-radius:4px;padding:var(--s3) var(--s4)}
.written>*+*{margin-top:var(--s2)}
@media (max-width:30rem){
.events,.moments{grid-template-columns:minmax(0,1fr)}
.events>li{padding-bottom:var(--s2)}
.steps>li+li{margin-top:var(--s4)}
.hypotheses>li+li{margin-top:var(--s1)}
.hypotheses summary,#evidence summary{padding-top:6px;padding-bottom:6px}
}
.wide #reality>*,.wide #changes>*,.wide #course>*{max-width:none}
@media (max-width:68.74rem){
.wide main:has(>.column){display:flex;flex-direction:column}
.wide .column{display:contents}
.wide section,.wide nav{order:8}.wide #cause{order:4}.wide #course{order:5}
.wide .top{order:1}.wide .notice{order:2}.wide #reality{order:5;border:0;padding:0}
.wide #reality>h2,.wide #reality .chart>p,.wide #reality figcaption{position:absolute;width:1px;
height:1px;overflow:hidden;clip-path:inset(50%)}
.wide .badge{line-height:1.5rem;font-size:.875rem;padding:0 6px}
.wide #verdict{order:4}.wide .links{order:6}.wide .jump{order:6}
.wide #changes{order:7}
.wide #around>section{order:9}.wide #base>section{order:10}
}
@media (min-width:68.75rem){
.wide main,.wide .foot{max-width:none;padding:0 var(--s8)}
.wide main:has(>.column){display:grid;grid-template-columns:minmax(0,38rem) minmax(0,1fr);
gap:0 var(--s8);align-items:start;grid-template-rows:max-content 1fr}
.wide #curves:not(:has(section)){display:none}
.wide section{padding:var(--s4) 0}
.wide #story{grid-row:1/span 2}
.wide #base time,.wide #around .events time{white-space:normal}
.wide #curves>section:first-child{border:0;padding-top:var(--s3)}
.wide #curves section>*,.wide #base section>*{max-width:none}
.wide #members{grid-column:1/-1}
.wide #base{grid-column:1/-1;display:grid;grid-template-columns:2fr 1fr 1fr;gap:0 var(--s8)}
}
@media (min-width:105rem){
.wide main:has(>.column){grid-template-columns:38rem minmax(0,1fr) 26rem;
grid-template-rows:auto}
.wide #story{grid-row:1}
.wide #curves:not(:has(section))~#around{grid-column:2/-1}
}
`;
