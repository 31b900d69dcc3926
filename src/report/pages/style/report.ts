/** Sections of a report's page. */
export const reportStyle: string = `
.verdict{padding:var(--s4) 0}
.kicker{font-size:1rem;font-weight:600;color:var(--quiet);margin:0 0 var(--s1)}
.headline{font-size:var(--large);line-height:1.35;font-weight:600}
.cause{margin-top:var(--s2)}
.certainty>summary{padding-bottom:6px}
.certainty>summary strong{color:var(--text)}
.certainty[open]{padding-bottom:var(--s2)}
.reasons li{padding-left:1.4em;text-indent:-1.4em;margin-top:var(--s1)}
.mark{display:inline-block;width:1.4em;text-indent:0;font-weight:700}
.first,.strongest{border-top:1px solid var(--line);margin-top:var(--s3);padding-top:var(--s3)}
.strongest .spark{max-width:none}
.links{display:flex;flex-wrap:wrap;gap:var(--s2);padding:0 0 var(--s6)}
.links>details[open]{flex-basis:100%;max-width:var(--measure);order:1}
.links>details[open]>*+*{margin-top:var(--s2)}
.links summary{display:inline-flex;align-items:center;border:1px solid var(--line);
border-radius:4px;padding:var(--s1) var(--s3);font-size:.9375rem}
.links summary::before{position:static}
.more>p{display:flex;flex-wrap:wrap;gap:var(--s2)}
@supports selector(::details-content){@media (min-width:48rem){
.more>summary{display:none}
.more,.more>p{display:contents}
.more::details-content{display:contents;content-visibility:visible}}}
.ranked>li{padding-left:2rem;position:relative}
.ranked>li+li{margin-top:var(--s4)}
.ranked .chart{margin-top:0}
.rank{position:absolute;left:0;font-weight:700;color:var(--quiet)}
.steps{counter-reset:step;margin-top:var(--s2)}
.steps>li{padding-left:2rem;position:relative;counter-increment:step}
.steps>li+li{margin-top:var(--s6)}
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
.events>li{padding:var(--s1) 0 var(--s3) var(--s4);border-left:2px solid var(--line);
position:relative}
.events>li::before{content:"";position:absolute;left:-6px;top:.6rem;width:10px;height:10px;
border-radius:50%;background:var(--page);border:2px solid var(--quiet)}
.events>.event-started::before{background:var(--text);border-color:var(--text)}
.events>.event-resolved::before{background:var(--resolved);border-color:var(--resolved)}
.events>.event-change::before{border-radius:0;transform:rotate(45deg)}
.cites{font-size:var(--small)}
#related li>a{display:inline-block;padding:3px 0}
.cites a{padding:6px 2px;white-space:nowrap}
#evidence>article{border-top:1px solid var(--line)}
#evidence>article:first-of-type{border-top:0}
#evidence details>p,#evidence details>ul,#evidence details>dl{margin-top:var(--s1)}
#evidence details[open]{padding-bottom:var(--s4)}
summary>h3{display:inline;color:var(--text)}
#evidence h3{font-weight:400}#evidence .id{font-weight:600}
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
.events br{display:none}
.steps>li+li{margin-top:var(--s4)}
.hypotheses>li+li{margin-top:var(--s1)}
.hypotheses summary,#evidence summary{padding-top:6px;padding-bottom:6px}
}
@media (min-width:68.75rem){
.verdict,.ranked>li{display:grid;grid-template-columns:minmax(0,36rem) minmax(0,1fr);
column-gap:var(--s8);align-content:start;max-width:none}
.verdict>*,.ranked>li>*{grid-column:1}
.ranked{max-width:none}
.ranked>li>.rank{grid-column:auto}
.verdict>.strongest{grid-column:2;grid-row:1/span 20;border-top:0;
border-left:1px solid var(--line);margin:0;padding:0 0 0 var(--s6);align-self:start}
.ranked>li>svg{grid-column:2;grid-row:1/span 20;margin:0;max-width:none}
.ranked>li>figure{grid-column:1/-1}
section>figure{max-width:none}
#reality:has(>figure){display:grid;column-gap:var(--s8);
grid-template:repeat(4,auto) 1fr/minmax(0,26rem) minmax(0,1fr)}
#reality>*{grid-column:1}
#reality>figure{grid-column:2;grid-row:2/-1;margin:0}
#evidence{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));column-gap:var(--s8)}
#evidence>h2{grid-column:1/-1}
#evidence>article:nth-of-type(2){border-top:0}
}
`;
