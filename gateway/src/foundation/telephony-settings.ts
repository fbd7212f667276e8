import { resolve } from 'node:path'
import type { Environment as Env } from '@switchroom/contract/scopes'
import {
  flag,
  fleetName,
  hostName,
  listOf,
  mediaUrl,
  webUrl,
  wholeNumber,
} from '@switchroom/process/setting-parsing'
import { privateNetwork } from '@switchroom/process/private-networks'
import { readAllOrNone, type ReadSetting } from '@switchroom/process/setting-reader'
import { readIceSettings, type IceSettings } from './ice-settings.ts'
import { countryCode, phoneNumber, publicAddress } from './setting-parsing.ts'

/** An account at the API carrier: the credentials, and the account they act for. */
export interface CarrierLogin {
  account_sid: string
  user: string
  secret: string
}

/** A LiveKit server. */
export interface MediaServer {
  url: string
  key: string
  secret: string
}

/** How many texts verify phones in a day, and where. */
export interface VerifyTextLimits {
  areSent: boolean
  perNumber: number
  perOrg: number
  perDay: number
  /** Countries as ISO 3166 writes them; undefined is any. */
  countries: string[] | undefined
}

export interface TelephonySettings {
  /** The name carriers send an environment's calls to; an environment without one takes no numbers. */
  sipNames: Record<Env, string | undefined>
  /** Whether a number that an org points here itself waits for the operator. */
  approveHooked: boolean
  /** Numbers that the platform buys for one org in one environment. */
  numbersQuota: number
  /** The sender of texts that verify a member's own phone. */
  verifyFrom: string | undefined
  /** What texts of this kind may cost the platform. */
  verifyTexts: VerifyTextLimits
  /** Networks that are not public, which SIP peers may be in. */
  privateNetworks: string[]
  carriersFile: string | undefined
  apiCarrier: { accountApi: string; trunkingApi: string; numbersApi: string; termination: string }
  /** The messaging platform's API. */
  messagingApi: string
  /** The platform's own account, which buys numbers; its secret is kept in memory only. */
  ownCarrier: CarrierLogin | undefined
  /** Unset: the embedded plane. */
  mediaServer: MediaServer | undefined
  /** The sandbox's own; unset, it shares production's. */
  sandboxMediaServer: MediaServer | undefined
  /** Where production's media server sends calls from. */
  mediaAddress: string | undefined
  fleets: Record<Env, string>
  firewallFile: string | undefined
  ice: IceSettings
}

export function readTelephonySettings(read: ReadSetting, domain: string | undefined): TelephonySettings {
  const accountApi = read('SVC_APICARRIER_API', webUrl)
  return {
    sipNames: {
      production: read('SVC_SIP_DOMAIN', hostName) ?? domain,
      sandbox: read('SVC_SANDBOX_SIP_DOMAIN', hostName) ?? domain,
    },
    approveHooked: read('SVC_APPROVE_HOOKED', isTrue) ?? true,
    numbersQuota: read('SVC_NUMBERS_QUOTA', wholeNumber) ?? 5,
    verifyFrom: read('SVC_VERIFY_FROM', phoneNumber),
    verifyTexts: {
      areSent: read('SVC_VERIFY_TEXTS', flag) ?? true,
      perNumber: read('SVC_VERIFY_TEXTS_PER_NUMBER', wholeNumber) ?? 5,
      perOrg: read('SVC_VERIFY_TEXTS_PER_ORG', wholeNumber) ?? 50,
      perDay: read('SVC_VERIFY_TEXTS_PER_DAY', wholeNumber) ?? 500,
      countries: read('SVC_VERIFY_COUNTRIES', listOf(countryCode)),
    },
    carriersFile: read('SVC_CARRIERS_FILE', (file) => resolve(file)),
    apiCarrier: {
      accountApi: accountApi ?? 'https://api.twilio.com',
      trunkingApi: read('SVC_APICARRIER_TRUNKING_API', webUrl) ?? accountApi ?? 'https://trunking.twilio.com',
      numbersApi: read('SVC_APICARRIER_NUMBERS_API', webUrl) ?? accountApi ?? 'https://numbers.twilio.com',
      termination: read('SVC_APICARRIER_TERMINATION', hostName) ?? 'pstn.twilio.com',
    },
    messagingApi: read('SVC_MSGAPP_API', webUrl) ?? 'https://graph.facebook.com/v26.0',
    ownCarrier: readAllOrNone(read, {
      account_sid: ['SVC_CARRIER_ACCOUNT_SID', String],
      user: ['SVC_CARRIER_USER', String],
      secret: ['SVC_CARRIER_SECRET', String],
    }),
    mediaServer: readAllOrNone(read, {
      url: ['SVC_MEDIA_URL', mediaUrl],
      key: ['SVC_MEDIA_KEY', String],
      secret: ['SVC_MEDIA_SECRET', String],
    }),
    sandboxMediaServer: readAllOrNone(read, {
      url: ['SVC_SANDBOX_MEDIA_URL', mediaUrl],
      key: ['SVC_SANDBOX_MEDIA_KEY', String],
      secret: ['SVC_SANDBOX_MEDIA_SECRET', String],
    }),
    privateNetworks: read('SVC_PRIVATE_NETWORKS', listOf(privateNetwork)) ?? [],
    mediaAddress: read('SVC_MEDIA_ADDRESS', publicAddress),
    fleets: {
      production: read('SVC_FLEET', fleetName) ?? 'production',
      sandbox: read('SVC_SANDBOX_FLEET', fleetName) ?? 'sandbox',
    },
    firewallFile: read('SVC_FIREWALL_FILE', (file) => resolve(file)),
    ice: readIceSettings(read),
  }
}

/** Anything but `0` or `false`. */
const isTrue = (value: string) => value !== '0' && value.toLowerCase() !== 'false'
