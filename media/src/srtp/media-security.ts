import type { MasterKey } from './srtp-contexts.ts'

/** Whether sound is encrypted; absent on a call that comes in, whatever the far end asks for is given to it. */
export type Encryption = 'off' | 'offered' | 'required'

export interface Fingerprint {
  algorithm: 'sha-256' | 'sha-384' | 'sha-512'
  /** In hexadecimal, upper case, without colons. */
  value: string
}

/** A certificate of our own, for one call. */
export interface CallCertificate {
  certificatePem: string
  keyPem: string
}

export interface KeyedSecurity {
  kind: 'sdes'
  send: MasterKey
  receive: MasterKey
}

/** What two ends agreed on about the encryption of their sound. It travels between processes as JSON. */
export type MediaSecurity =
  /** Nothing is sent and nothing is heard before the far end has answered our offer. */
  | { kind: 'awaited' }
  /** Keys that were told in SDP. */
  | KeyedSecurity
  /** Keys that both ends find in a DTLS handshake, on the port of the sound. */
  | { kind: 'dtls'; role: 'client' | 'server'; fingerprints: Fingerprint[]; certificate: CallCertificate }
