import type { MemberList } from '@switchroom/contract/members'
import { useCallback } from 'react'
import { useGet } from '../api/queries.ts'
import { useCan, useWho } from './identity.ts'

/** The name of a member by their id, as far as the person signed in may know it. */
export function useNames(): (by: string) => string {
  const { me } = useWho()
  const subject = me?.subject
  const { data } = useGet<MemberList>('/v1/members', { enabled: useCan()('team') })
  return useCallback(
    (by) => {
      if (by === '') return 'Somebody'
      if (by === subject) return 'You'
      if (by === 'caller') return 'The caller'
      const member = data?.members.find(({ id }) => id === by)
      return (member?.name || member?.email) ?? (by.startsWith('mem_') ? 'A colleague' : by)
    },
    [subject, data],
  )
}
