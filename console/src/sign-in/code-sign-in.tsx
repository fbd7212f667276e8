import type { MintedKey } from '@switchroom/contract/keys'
import { useEffect } from 'react'
import { api } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { Progress } from '../ui/answers.tsx'
import { thisDevice } from './device.ts'

let spending: { code: string; minted: Promise<MintedKey> } | undefined

/** A code is good once, and an effect may run twice. */
function spend(code: string): Promise<MintedKey> {
  if (spending?.code !== code)
    spending = { code, minted: api.post('/v1/login', { code, device: thisDevice() }, { key: null }) }
  return spending.minted
}

export function CodeSignIn({ code, onRefused }: { code: string; onRefused: (error: Error) => void }) {
  useEffect(() => {
    let isHere = true
    const redeem = async () => {
      const minted = await spend(code).catch((error: Error) => error)
      if (!isHere) return
      history.replaceState(null, '', location.pathname + wordIn(location.search))
      if (minted instanceof Error) onRefused(minted)
      else signIn(minted.key, { isKept: false })
    }
    void redeem()
    return () => {
      isHere = false
    }
  }, [code, onRefused])
  return <Progress label="Signing in" />
}

/** The word of a waiting terminal stays in the address; the code does not. */
function wordIn(search: string): string {
  const word = new URLSearchParams(search).get('c')
  return word === null ? '' : `?${new URLSearchParams({ c: word })}`
}
