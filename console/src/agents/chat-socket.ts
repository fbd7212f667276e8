import type { AgentList } from '@switchroom/contract/apps'
import type { ChatFrame } from '@switchroom/contract/chat'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { screenSentence } from '../api/screen-sentences.ts'
import { currentSession } from '../api/session.ts'

export interface ChatLine {
  id: string
  who: 'you' | 'agent'
  text: string
  /** Sent, and not yet in the call's log. */
  isSending: boolean
}

export interface Chat {
  state: 'closed' | 'opening' | 'open' | 'ended'
  call: string | null
  lines: readonly ChatLine[]
  /** The last message has no answer yet. */
  isAnswering: boolean
  error: string | null
  start: () => void
  say: (text: string) => void
  end: () => void
}

type Known = Pick<Chat, 'state' | 'call' | 'lines' | 'error'>

const nothing: Known = { state: 'closed', call: null, lines: [], error: null }

/** A chat with an agent, resumed after a lost connection. */
export function useChat(agent: string): Chat {
  const [known, setKnown] = useState(nothing)
  const socket = useRef<WebSocket | null>(null)
  const last = useRef({ call: null as string | null, seq: 0, isOver: true })
  /** Sent and not yet confirmed, in order; sent again after a lost connection. */
  const unconfirmed = useRef(new Map<string, string>())

  const send = (id: string, frame: object) => {
    const text = JSON.stringify(frame)
    unconfirmed.current.set(id, text)
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(text)
  }

  function connect() {
    const { call, seq } = last.current
    const opened = openSocket(agent, call === null ? {} : { call, after: String(seq) })
    socket.current = opened
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const frame: ChatFrame = JSON.parse(data)
      if ('seq' in frame) last.current.seq = frame.seq
      if (frame.type === 'started') {
        last.current.call = frame.call
        for (const text of unconfirmed.current.values()) opened.send(text)
      }
      if (frame.type === 'heard') unconfirmed.current.delete(frame.id)
      if (frame.type === 'error') unconfirmed.current.delete([...unconfirmed.current.keys()][0] ?? '') // the oldest
      if (frame.type === 'ended') last.current.isOver = true
      setKnown((before) => after(before, frame))
    })
    opened.addEventListener('close', () => {
      if (socket.current !== opened || last.current.isOver) return
      if (last.current.call === null) {
        last.current.isOver = true
        // A browser hides why a socket was refused; a plain request shows it.
        void whyRefused(agent).then((error) => setKnown((before) => ({ ...before, state: 'closed', error })))
      } else setTimeout(() => socket.current === opened && connect(), 1000)
    })
  }

  useEffect(
    () => () => {
      socket.current?.close()
      socket.current = null
    },
    [agent],
  )

  return {
    ...known,
    isAnswering: known.state === 'open' && known.lines.at(-1)?.who === 'you',
    start: () => {
      last.current = { call: null, seq: 0, isOver: false }
      unconfirmed.current.clear()
      setKnown({ ...nothing, state: 'opening' })
      connect()
    },
    say: (text) => {
      const id = crypto.randomUUID()
      send(id, { type: 'message', text, id })
      const line: ChatLine = { id, who: 'you', text, isSending: true }
      setKnown((before) => ({ ...before, error: null, lines: [...before.lines, line] }))
    },
    end: () => send('end', { type: 'end' }),
  }
}

function after(before: Known, frame: ChatFrame): Known {
  switch (frame.type) {
    case 'started':
      return { ...before, state: 'open', call: frame.call }
    case 'heard': {
      const line: ChatLine = { id: frame.id, who: 'you', text: frame.text, isSending: false }
      const isOwn = before.lines.some(({ id }) => id === frame.id)
      const lines = isOwn
        ? before.lines.map((one) => (one.id === frame.id ? line : one))
        : [...before.lines, line]
      return { ...before, lines }
    }
    case 'message': {
      if (before.lines.some(({ id }) => id === frame.messageId)) return before
      const line: ChatLine = { id: frame.messageId, who: 'agent', text: frame.text, isSending: false }
      return { ...before, lines: [...before.lines, line] }
    }
    case 'ended':
      return { ...before, state: 'ended' }
    case 'error':
      return { ...before, error: screenSentence(frame.detail) }
  }
}

/** The key is sent as a subprotocol: a browser's socket sends no headers, and a key must not be in a URL. */
function openSocket(agent: string, resuming: Record<string, string>): WebSocket {
  const { key, env } = currentSession()
  const address = new URL('/v1/chat', location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.search = String(new URLSearchParams({ agent, ...resuming }))
  return new WebSocket(address, ['svc', `svc.bearer.${key}`, `svc.env.${env}`])
}

async function whyRefused(agent: string): Promise<string> {
  try {
    const { agents } = await api.get<AgentList>('/v1/agents')
    if (!agents.find((one) => one.agent === agent)?.held)
      return `${agent} is offline: no app is connected. Start its app, then try again.`
    return 'The gateway could not start the conversation. Try again in a moment.'
  } catch (refused) {
    return refused instanceof Error ? refused.message : String(refused)
  }
}
