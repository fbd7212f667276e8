import { BrowserChat } from '@switchroom/browser/chat'
import type { Line } from '@switchroom/browser'
import type { AgentList } from '@switchroom/contract/apps'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { failed } from '../api/reachability.ts'
import { screenSentence } from '../api/screen-sentences.ts'
import { currentSession } from '../api/session.ts'

export interface Chat {
  state: 'closed' | 'opening' | 'open' | 'ended'
  call: string | null
  lines: readonly Line[]
  /** The last message has no answer yet. */
  isAnswering: boolean
  isConnected: boolean
  error: string | null
  start: () => void
  say: (text: string) => void
  end: () => void
}

type Known = Pick<Chat, 'state' | 'call' | 'lines' | 'isAnswering' | 'isConnected'>

const nothing: Known = { state: 'closed', call: null, lines: [], isAnswering: false, isConnected: false }

/** A chat with an agent, as the person who is signed in. */
export function useChat(agent: string): Chat {
  const [known, setKnown] = useState(nothing)
  const [error, setError] = useState<string | null>(null)
  const chat = useRef<BrowserChat | null>(null)

  useEffect(
    () => () => {
      chat.current?.close()
      chat.current = null
    },
    [agent],
  )

  const start = () => {
    const { key, env } = currentSession()
    const opened = new BrowserChat({ url: location.origin, agent, bearer: key ?? '', env })
    chat.current = opened
    const show = () => {
      const { state, call, lines, isAnswering, isConnected } = opened
      if (chat.current === opened) setKnown({ state, call, lines, isAnswering, isConnected })
    }
    opened.on('line', show)
    opened.on('connection', (isThere) => {
      show()
      if (!isThere) failed() // it says so on the whole page if the gateway is gone
    })
    opened.on('refused', (detail) => setError(screenSentence(detail)))
    opened.on('state', (state) => {
      show()
      // A browser hides why a socket was refused; a plain request shows it.
      if (state === 'closed') void whyRefused(agent).then((why) => chat.current === opened && setError(why))
    })
    setError(null)
    show()
  }
  return {
    ...known,
    error,
    start,
    say: (text) => {
      setError(null)
      chat.current?.say(text)
    },
    end: () => chat.current?.end(),
  }
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
