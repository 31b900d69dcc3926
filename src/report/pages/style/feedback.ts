/** Forms on a report's page, with touch targets as high as a finger is wide. */
export const feedbackStyle: string = `
form p,form fieldset{margin:0 0 12px}
fieldset{border:0;padding:0;min-width:0}
legend{padding:0;font-weight:600}
.choice{display:flex;align-items:center;gap:8px;min-height:44px}
.choice input{width:20px;height:20px;margin:0;flex:none;accent-color:var(--accent)}
.say label:not(.choice){display:block;font-weight:600}
#feedback .items+p{margin-top:var(--s4)}
input[type=text],textarea,form button{font:inherit;color:inherit;border:1px solid var(--quiet);
border-radius:4px;background:var(--page);padding:9px 12px}
input[type=text],textarea{display:block;width:100%;min-height:44px}
textarea{resize:vertical}
form button{min-height:44px;cursor:pointer;background:var(--raised);font-weight:600}
form button:disabled{cursor:progress;color:var(--quiet)}
input:focus-visible,textarea:focus-visible,button:focus-visible{outline:3px solid var(--accent);
outline-offset:2px}
.again{margin-top:16px}
.again span{display:inline-block;padding:4px 8px}
.problem{color:var(--critical);font-weight:600}
.problem[hidden]{display:none}
@media print{form{display:none}}
`;
