/** The list of alerts, its filter, and the page of an incident. */
export const listStyle = `
#list section,#members{padding:var(--s4) 0}
#list section>*,#members>*{max-width:none}
#list h2,#members>h2{margin:0 0 var(--s1)}
.counts{display:flex;flex-wrap:wrap;gap:var(--s2);padding:0 0 var(--s3)}
.counts a{display:inline-flex;align-items:center;gap:.4em;min-height:var(--touch);
padding:var(--s1) var(--s3);border:1px solid var(--line);border-radius:4px;
text-decoration:none;color:inherit}
.counts a:hover{text-decoration:underline}
.counts a[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.filter{padding:0 0 var(--s3)}
.ask{display:flex;gap:var(--s2)}
.ask input{flex:1;min-width:0}
.ask .plain{margin-left:auto}
.fields{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--s2) var(--s3)}
.fields label{font-size:var(--small);color:var(--quiet)}
.fields input,.fields select{margin-top:2px;font-size:1rem;color:var(--text)}
.actions{padding-top:var(--s1)}
.actions a,.pager a{display:inline-block;padding:9px 0;margin-right:var(--s4)}
.list>.row{border-top:1px solid var(--line);padding:var(--s2) 0;scroll-margin:var(--s6);
display:grid;grid-template-columns:max-content minmax(0,1fr) 4rem;gap:2px var(--s3)}
.list>.row:first-child{border-top:0}
.list>.row:focus-within{background:var(--raised);
box-shadow:-12px 0 0 var(--raised),-16px 0 0 var(--accent)}
.row>*{grid-column:1/-1}
.row>.cell{grid-column:1;font-size:var(--small)}
.row>.when{grid-column:2;font-size:var(--small)}
.row>.day{grid-column:3;grid-row:1}
.row>.when>.label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.row>.when>time{white-space:normal}
.row h3{display:inline}
.row h3 a{display:inline-block;padding:3px 0}
.row .note{font-size:var(--small)}
.row .new{font-weight:600;color:var(--accent)}
.day{width:100%;height:14px;align-self:center}
.day .base{stroke:var(--line);fill:none}.day .bar{fill:var(--critical)}
.chips{display:flex;flex-wrap:wrap;gap:var(--s2);padding-top:var(--s2)}
.chips a{display:inline-flex;align-items:center;gap:.4em;min-height:32px;padding:0 var(--s3);
border:1px solid var(--accent);border-radius:16px;font-size:var(--small);text-decoration:none}
.folded>li{padding:6px 0 6px 1.4em;text-indent:-1.4em;border-top:1px dotted var(--line)}
.folded>li>span{color:var(--quiet);font-size:var(--small)}
.folded a{display:inline-block;padding:var(--s1) 0;text-indent:0}
dialog{color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:4px;
padding:var(--s6);max-width:24rem}
dialog::backdrop{background:rgb(0 0 0/.5)}
dialog button{margin-top:var(--s4)}
kbd{font:.875em var(--mono);border:1px solid var(--line);border-radius:4px;padding:2px 6px}
@media (max-width:30rem){.counts{gap:var(--s1)}
.counts a{padding:0 6px;font-size:.8125rem}}
@media (max-width:40rem){.fields :has(>[type=datetime-local]){grid-column:1/-1}}
html:not([data-script]) [data-keys]{display:none}
@media (max-width:48rem){[data-keys]{display:none}.row{font-size:.9375rem}}
@media (min-width:48rem){.fields{grid-template-columns:repeat(3,minmax(0,1fr))}
.ask input{max-width:34rem}}
@media (min-width:68.75rem){
.wide .counts{padding:0 0 var(--s2)}
.wide .counts a,.wide .ask>*{min-height:32px}
.wide .filter{display:flex;flex-wrap:wrap;gap:0 var(--s6);align-items:center;padding:0}
.wide .filter>*{margin:0}
.wide .ask{flex:1}
.wide .filter>details[open],.wide .chips{flex-basis:100%}
.wide #list section{padding:var(--s1) 0}
.wide .list>.row{grid-template-columns:5.5rem 6rem minmax(0,15fr) minmax(0,20fr) minmax(0,12fr)
5rem 11.5rem;gap:0 var(--s3);padding:2px 0;font-size:.8125rem;line-height:1.4;align-items:start}
.wide .row>*,.wide .row>.when,.wide .row>.day,.wide .row>.cell{grid-column:auto;grid-row:auto}
.wide .row>:not(.day,details){overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.wide .row:focus-within>*,.wide .row:hover>*{white-space:normal}
.wide .row>.why>p{overflow:hidden;text-overflow:ellipsis}
.wide .row>*,.wide .row>.cell,.wide .row>.when{font-size:inherit}
.wide .row wbr{display:none}
.wide .row>details>summary{min-height:0;padding-top:0;padding-bottom:0}
.wide .row>details[open]{grid-column:1/-1;margin-top:var(--s2)}
.wide .row h3{font-size:inherit}
.wide .row h3 a{padding:0;display:inline}
.wide .row .state,.wide .row .label,.wide .row .known,.wide .row>.when:has(.age)>time{
position:absolute;width:1px;height:1px;
overflow:hidden;clip-path:inset(50%)}
.wide .row .age{color:var(--quiet)}
}
@media print{.pager a,dialog{display:none}}
`;
