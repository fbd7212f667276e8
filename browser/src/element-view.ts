import type { Line } from './transcript.ts'
import { elementStyle } from './element-style.ts'

/** What the visitor can do. */
export interface ElementActions {
  talk: () => void
  chat: () => void
  mute: () => void
  leave: () => void
  say: (text: string) => void
}

/** What the element shows now. */
export interface ElementShown {
  mode: 'closed' | 'voice' | 'chat'
  status: string
  error: string | null
  lines: readonly Line[]
  isMuted: boolean
  agent: string
}

/** The element's contents: plain DOM, so that it needs no library and no inline markup. */
export class ElementView {
  readonly #root: ShadowRoot
  readonly #talk: HTMLButtonElement
  readonly #chat: HTMLButtonElement
  readonly #mute: HTMLButtonElement
  readonly #leave: HTMLButtonElement
  readonly #status = made('p', { className: 'status' })
  readonly #error = made('p', { className: 'error' })
  readonly #lines = made('div', { className: 'lines', tabIndex: 0 })
  readonly #input = made('input', { type: 'text', autocomplete: 'off' })
  readonly #form = made('form', {})
  readonly #panel = made('section', { className: 'panel' })
  readonly #shownLines = new Map<string, HTMLElement>()
  #mode: ElementShown['mode'] = 'closed'

  constructor(root: ShadowRoot, actions: ElementActions) {
    this.#root = root
    root.adoptedStyleSheets = [elementStyle()]
    this.#talk = button('Talk', 'primary', actions.talk)
    this.#chat = button('Chat', '', actions.chat)
    this.#mute = button('Mute', '', actions.mute)
    this.#leave = button('Hang up', 'leave', actions.leave)
    this.#status.role = 'status'
    this.#error.role = 'alert'
    this.#lines.role = 'log'
    this.#lines.ariaLabel = 'Transcript'
    const label = made(
      'label',
      {},
      made('span', { className: 'hidden', textContent: 'Message' }),
      this.#input,
    )
    this.#form.append(label, made('button', { type: 'submit', className: 'primary', textContent: 'Send' }))
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      const text = this.#input.value.trim()
      if (text !== '') actions.say(text)
      this.#input.value = ''
    })
    const controls = made('div', { className: 'row' }, this.#mute, this.#leave)
    this.#panel.append(this.#status, this.#lines, this.#form, controls)
    const start = made('div', { className: 'row start' }, this.#talk, this.#chat)
    root.append(made('div', { className: 'box' }, start, this.#error, this.#panel))
  }

  /** Which ways to the agent the page offers. */
  offer(channels: readonly string[]): void {
    this.#talk.hidden = !channels.includes('voice')
    this.#chat.hidden = !channels.includes('chat')
  }

  show({ mode, status, error, lines, isMuted, agent }: ElementShown): void {
    const isClosed = mode === 'closed'
    this.#panel.hidden = isClosed
    this.#panel.ariaLabel = `Conversation with ${agent}`
    const [start] = this.#root.querySelectorAll<HTMLElement>('.start')
    if (start) start.hidden = !isClosed
    this.#form.hidden = mode !== 'chat'
    this.#mute.hidden = mode !== 'voice'
    this.#mute.ariaPressed = String(isMuted)
    this.#leave.textContent = mode === 'chat' ? 'End chat' : 'Hang up'
    this.#status.textContent = status
    this.#error.textContent = error ?? ''
    this.#error.hidden = error === null
    this.#showLines(lines, agent)
    this.#focus(mode)
  }

  /** What had the focus is hidden when the mode changes: the next thing to do gets it. */
  #focus(mode: ElementShown['mode']): void {
    if (mode === this.#mode) return
    const hadFocus = this.#root.activeElement !== null
    this.#mode = mode
    if (!hadFocus) return
    if (mode === 'chat') this.#input.focus()
    else if (mode === 'voice') this.#leave.focus()
    else (this.#talk.hidden ? this.#chat : this.#talk).focus()
  }

  #showLines(lines: readonly Line[], agent: string): void {
    if (lines.length === 0) this.#clear()
    for (const { id, who, text, isFinal } of lines) {
      const shown = this.#shownLines.get(id) ?? this.#newLine(id, who, agent)
      const said = isFinal || who === 'user' ? text : `${text}…`
      if (shown.textContent !== said) shown.textContent = said
    }
    this.#lines.scrollTop = this.#lines.scrollHeight
  }

  #newLine(id: string, who: Line['who'], agent: string): HTMLElement {
    const said = made('span', {})
    const name = made('span', { className: 'hidden', textContent: `${who === 'user' ? 'You' : agent}: ` })
    this.#lines.append(made('p', { className: who }, name, said))
    this.#shownLines.set(id, said)
    return said
  }

  #clear(): void {
    this.#shownLines.clear()
    this.#lines.replaceChildren()
  }
}

function made<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: Node[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

function button(textContent: string, className: string, onClick: () => void): HTMLButtonElement {
  const element = made('button', { type: 'button', className, textContent })
  element.addEventListener('click', onClick)
  return element
}
