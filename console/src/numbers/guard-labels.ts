import type { GuardName, JudgedGuard } from '@switchroom/contract/dialling'

const names: Record<GuardName, string> = {
  shape: 'The number can be rung',
  from: 'There is a number to dial from',
  holder: 'An app holds the agent',
  stranger: 'They called or wrote before',
  list: 'Not on the do-not-call list',
  consent: 'They agreed to be called',
  hours: 'Inside calling hours',
  per_minute: 'Dials this minute',
  per_day: 'Dials today',
  per_number_day: 'Dials to this number today',
}

export const guardTitle = (guard: GuardName) => names[guard]

/** What a guard looked at, in a few words; what it refuses with is its own sentence. */
export function guardSaw({ guard, saw }: JudgedGuard): string {
  switch (guard) {
    case 'shape':
      return saw.calling_code
        ? `Country code +${saw.calling_code.replace('+', '')}`
        : 'No country code that is known'
    case 'from':
      return saw.from ? `From ${saw.from}` : 'None of the agent’s numbers can dial'
    case 'holder':
      return saw.held ? 'It is held' : 'Nobody holds it'
    case 'stranger':
      return saw.known ? 'Known here' : saw.dial_anywhere ? 'Strangers may be dialled' : 'A stranger'
    case 'list':
      return saw.standing === 'opted_out' ? 'On the list' : 'Not on it'
    case 'consent':
      return saw.needed ? standing(saw.standing) : 'None is needed for this country'
    case 'hours':
      return saw.hours ? zones(saw.zones) : 'No hours are set for this country'
    default:
      return saw.most == null ? 'No limit' : `${saw.used ?? 0} of ${saw.most} used`
  }
}

const standing = (known: JudgedGuard['saw']['standing']) =>
  known === 'consented' ? 'A consent is on file' : 'No consent is on file'

const zones = (seen: JudgedGuard['saw']['zones']) =>
  (seen ?? []).map(({ zone, local }) => `${local} in ${zone}`).join(', ') || 'No time zone that is known'
