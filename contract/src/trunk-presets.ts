import type { PutCarrier } from './carriers.ts'

/** What is known beforehand of a SIP account at a carrier or PBX: the fields to send, and those that only its owner knows. */
export interface TrunkPreset {
  name: string
  title: string
  /** The page about it. */
  guide: string
  fields: Pick<
    PutCarrier,
    'auth' | 'register' | 'addresses' | 'outbound_host' | 'outbound_transport' | 'number_form' | 'encryption'
  >
  /** Fields to fill in, or to change from the example. */
  fill: readonly ('username' | 'password' | 'addresses' | 'outbound_host')[]
}

const guideOf = (name: string) => `docs/trunks/${name}.md`

/** Where the carrier signals from, as it publishes them. */
export const twilioNetworks: readonly string[] = [
  '54.172.60.0/30',
  '54.244.51.0/30',
  '54.171.127.192/30',
  '35.156.191.128/30',
  '54.65.63.192/30',
  '54.169.127.128/30',
  '54.252.254.64/30',
  '177.71.206.192/30',
]

export const trunkPresets: readonly TrunkPreset[] = [
  {
    name: 'twilio',
    title: 'Twilio Elastic SIP Trunking',
    guide: guideOf('twilio'),
    fields: {
      auth: 'ip',
      addresses: [...twilioNetworks],
      outbound_host: 'example.pstn.twilio.com',
      number_form: 'e164',
    },
    fill: ['username', 'password', 'outbound_host'],
  },
  {
    name: 'telnyx',
    title: 'Telnyx',
    guide: guideOf('telnyx'),
    fields: {
      auth: 'ip',
      addresses: ['192.76.120.10', '64.16.250.10'],
      outbound_host: 'sip.telnyx.com',
      number_form: 'e164',
    },
    fill: ['username', 'password'],
  },
  {
    name: 'vonage',
    title: 'Vonage SIP Trunking',
    guide: guideOf('vonage'),
    fields: { auth: 'ip', outbound_host: 'example.sip-us.vonage.com', number_form: 'plain' },
    fill: ['username', 'password', 'addresses', 'outbound_host'],
  },
  {
    name: 'plivo',
    title: 'Plivo Zentrunk',
    guide: guideOf('plivo'),
    fields: { auth: 'ip', outbound_host: 'example.zt.plivo.com', number_form: 'e164' },
    fill: ['username', 'password', 'addresses', 'outbound_host'],
  },
  {
    name: 'asterisk',
    title: 'Asterisk (PJSIP)',
    guide: guideOf('asterisk'),
    fields: { auth: 'digest', outbound_host: 'pbx.example.com', number_form: 'e164' },
    fill: ['username', 'password', 'addresses', 'outbound_host'],
  },
  {
    name: 'freeswitch',
    title: 'FreeSWITCH',
    guide: guideOf('freeswitch'),
    fields: { auth: 'digest', outbound_host: 'pbx.example.com', number_form: 'e164' },
    fill: ['username', 'password', 'addresses', 'outbound_host'],
  },
  {
    name: '3cx',
    title: '3CX',
    guide: guideOf('3cx'),
    fields: { auth: 'ip', register: true, outbound_host: 'example.3cx.com', number_form: 'e164' },
    fill: ['username', 'password', 'addresses', 'outbound_host'],
  },
]
