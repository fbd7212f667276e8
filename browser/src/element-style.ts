const css = `
:host {
  display: block;
  color-scheme: light dark;
  font: var(--switchroom-font, 16px/1.4 system-ui, sans-serif);
  color: var(--switchroom-text, light-dark(#1b1f24, #e8eaed));
}
:host([hidden]), [hidden] { display: none !important; }
.box { max-width: 26em; }
.panel {
  display: flex;
  flex-direction: column;
  gap: 0.6em;
  padding: 0.8em;
  background: var(--switchroom-background, light-dark(#ffffff, #1b1f24));
  border: 1px solid var(--switchroom-border, light-dark(#c8cdd3, #4a5058));
  border-radius: var(--switchroom-radius, 10px);
}
.row, form { display: flex; flex-wrap: wrap; gap: 0.5em; }
form label { flex: 1; display: flex; }
p { margin: 0; }
.lines { height: var(--switchroom-height, 16em); overflow-y: auto; display: flex; flex-direction: column; gap: 0.4em; }
.lines p { max-width: 85%; padding: 0.4em 0.7em; border-radius: var(--switchroom-radius, 10px); overflow-wrap: anywhere; }
.agent { align-self: flex-start; background: var(--switchroom-agent, light-dark(#eef0f3, #2b3138)); }
.user { align-self: flex-end; background: var(--switchroom-user, light-dark(#dcebff, #1d3b63)); }
.error { color: var(--switchroom-error, light-dark(#a30d0d, #ff9b93)); margin: 0.4em 0; }
button, input {
  font: inherit;
  color: inherit;
  padding: 0.5em 0.9em;
  background: transparent;
  border: 1px solid var(--switchroom-border, light-dark(#767d86, #8b929b));
  border-radius: var(--switchroom-radius, 10px);
}
button { cursor: pointer; }
input { flex: 1; min-width: 0; }
button.primary {
  background: var(--switchroom-accent, #0b57d0);
  border-color: var(--switchroom-accent, #0b57d0);
  color: var(--switchroom-on-accent, #ffffff);
}
button[aria-pressed="true"] { background: var(--switchroom-text, light-dark(#1b1f24, #e8eaed)); color: var(--switchroom-background, light-dark(#ffffff, #1b1f24)); }
:focus-visible { outline: 3px solid var(--switchroom-accent, #0b57d0); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`

let sheet: CSSStyleSheet | undefined

/** One for all elements of a page; a page's content policy cannot block it, as it could a style tag. */
export function elementStyle(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
  }
  return sheet
}
