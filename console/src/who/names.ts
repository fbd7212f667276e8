import type { MemberList } from '@switchroom/contract/members'
import { useCallback } from 'react'
import { useGet } from '../api/queries.ts'
import { useCan, useWho } from './identity.ts'

/** A label for a member id; names only if the signed-in person may list the team. */
export function useNames(): (by: string) => string {
  const { me } = useWho()
  const subject = me?.subject
  const { data } = useGet<MemberList>('/v1/members', { enabled: useCan()('team') })
  return useCallback(
    (by) => {
      if (by === '') return 'Unknown'
      if (by === subject) return 'You'
      if (by === 'caller') return 'Caller'
      const member = data?.members.find(({ id }) => id === by)
      return (member?.name || member?.email) ?? (by.startsWith('mem_') ? 'Another member' : by)
    },
    [subject, data],
  )
}
