/** Fields, choices and buttons of all forms, each as high as a finger is wide. */
export const formStyle: string = `
form p,form fieldset{margin:0 0 var(--s3)}
fieldset{border:0;padding:0;min-width:0}
legend{padding:0;font-weight:600}
input,select,textarea{display:block;width:100%;min-height:var(--touch);padding:var(--s2) var(--s3);
font:inherit;color:inherit;background:var(--page);border:1px solid var(--quiet);border-radius:4px}
textarea{resize:vertical}
form button:not(.plain){font-size:1rem;font-weight:600;color:var(--page);background:var(--accent);
border-color:var(--accent)}
form button:disabled{cursor:progress;opacity:.6}
.choice{display:flex;align-items:center;gap:var(--s2);min-height:var(--touch)}
.choice input{width:20px;min-height:20px;margin:0;flex:none;accent-color:var(--accent)}
.say label:not(.choice){display:block;font-weight:600}
.again{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s3);margin-top:var(--s4)}
.problem{color:var(--critical);font-weight:600}
.problem[hidden]{display:none}
@media print{form{display:none}}
`;
