import type { DialReason, GuardName, JudgedGuard } from '@switchroom/contract/dialling'

const names: Record<GuardName, string> = {
  shape: 'Valid number',
  from: 'Number to call from',
  holder: 'Connected app',
  stranger: 'Known contact',
  list: 'Not on the do-not-call list',
  consent: 'Consent',
  hours: 'Calling hours',
  per_minute: 'Dials this minute',
  per_day: 'Dials today',
  per_number_day: 'Dials to this number today',
}

const reasons: Record<DialReason | 'not_opened', string> = {
  bad_number: 'not a valid number',
  no_from: 'the agent has no number to call from',
  not_held: 'no app is connected to the agent',
  stranger: 'new contact',
  opted_out: 'on the do-not-call list',
  no_consent: 'no consent on record',
  quiet_hours: 'outside calling hours',
  per_minute: 'too many dials this minute',
  per_day: 'too many dials today',
  too_often: 'dialed too often today',
  not_opened: 'the call could not be opened',
}

/** Why a dial was refused, in words. */
export const dialReasonLabel = (reason: string) =>
  reason in reasons ? reasons[reason as DialReason] : reason

export const guardTitle = (guard: GuardName) => names[guard]

/** What a guard checked, in a few words; a refusal has its own sentence. */
export function guardSaw({ guard, saw }: JudgedGuard): string {
  switch (guard) {
    case 'shape':
      return saw.calling_code ? `Country code +${saw.calling_code.replace('+', '')}` : 'Unknown country code'
    case 'from':
      return saw.from ? `From ${saw.from}` : 'None of the agent’s numbers can place calls'
    case 'holder':
      return saw.held ? 'Connected' : 'Offline'
    case 'stranger':
      return saw.known
        ? 'Called or wrote before'
        : saw.dial_anywhere
          ? 'New contacts are allowed'
          : 'New contact'
    case 'list':
      return saw.standing === 'opted_out' ? 'On the list' : 'Not on the list'
    case 'consent':
      return saw.needed ? consentLabel(saw.standing) : 'Not required for this country'
    case 'hours':
      return saw.hours ? zones(saw.zones) : 'No limit for this country'
    default:
      return saw.most == null ? 'No limit' : `${saw.used ?? 0} of ${saw.most} used`
  }
}

const consentLabel = (known: JudgedGuard['saw']['standing']) =>
  known === 'consented' ? 'Consent on record' : 'No consent on record'

const zones = (seen: JudgedGuard['saw']['zones']) =>
  (seen ?? []).map(({ zone, local }) => `${local} in ${zone}`).join(', ') || 'Unknown time zone'
