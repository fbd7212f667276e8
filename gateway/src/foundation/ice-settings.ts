import { listOf } from '@switchroom/process/setting-parsing'
import { readAllOrNone, SettingError, type ReadSetting } from '@switchroom/process/setting-reader'

/** How a browser signs in to the TURN servers: with a password of a day that the secret makes, or always the same. */
export type TurnLogin = { secret: string } | { username: string; password: string }

/** Servers that help a browser to reach a worker. */
export interface IceSettings {
  stunUrls: string[]
  /** Undefined if there are none. */
  turn: { urls: string[]; login: TurnLogin } | undefined
}

export function readIceSettings(read: ReadSetting): IceSettings {
  const stunUrls = read('SVC_STUN_URLS', listOf(iceUrl(['stun', 'stuns'])))
  const urls = read('SVC_TURN_URLS', listOf(iceUrl(['turn', 'turns'])))
  const secret = read('SVC_TURN_SECRET', String)
  const fixed = readAllOrNone(read, {
    username: ['SVC_TURN_USERNAME', String],
    password: ['SVC_TURN_PASSWORD', String],
  })
  if (secret !== undefined && fixed)
    throw new SettingError('SVC_TURN_SECRET and SVC_TURN_USERNAME are both set: set one of them')
  const login = secret === undefined ? fixed : { secret }
  if (urls && !login)
    throw new SettingError(
      'SVC_TURN_URLS has no sign-in: set SVC_TURN_SECRET, or SVC_TURN_USERNAME and SVC_TURN_PASSWORD',
    )
  if (login && !urls)
    throw new SettingError('SVC_TURN_URLS is not set: name the servers that the sign-in is for')
  return { stunUrls: stunUrls ?? [], turn: urls && login && { urls, login } }
}

/** As RFC 7064 and RFC 7065 write them. */
const iceUrl = (schemes: readonly string[]) => (value: string) => {
  const [, scheme, transport] =
    /^(stuns?|turns?):(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?(\?transport=(?:udp|tcp))?$/i.exec(
      value,
    ) ?? []
  const isWhole = scheme && schemes.includes(scheme.toLowerCase()) && (!transport || /^turn/i.test(scheme))
  if (!isWhole)
    throw new SettingError(
      `is not a list of URLs such as ${schemes[0]}:${schemes[0]}.example.com:3478: ${value}`,
    )
  return value
}
