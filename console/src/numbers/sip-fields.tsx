import type { SipSettings } from '@switchroom/contract/carriers'
import type { ComponentProps } from 'react'
import { Select, TextArea, TextField, type Option } from '../ui/field.tsx'
import type { SipName } from './sip-names.ts'

interface SipFieldsProps {
  /** Of the account that is edited; undefined for a new one. */
  now: SipSettings | undefined
  /** The draft's fields as they stand. */
  drafted: (name: SipName) => string
  field: (name: SipName) => Pick<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'autoComplete'>
}

/** How calls of a SIP peer come and go: what is left empty keeps its value. */
export function SipFields({ now, drafted, field }: SipFieldsProps) {
  const empty = (value: string | null | undefined) => value ?? 'none'
  const choice = (name: SipName, label: string, options: Option[], current: string, hint?: string) => (
    <Select
      label={label}
      {...field(name)}
      hint={hint}
      options={[{ value: '', label: `${now ? 'Current' : 'Default'}: ${current}` }, ...options]}
    />
  )
  const isTls = (drafted('outbound_transport') || now?.outbound_transport) === 'tls'
  const isNational = (drafted('number_form') || now?.number_form) === 'national'
  return (
    <>
      <details>
        <summary>Outbound calls</summary>
        <div className="stack">
          <TextField
            label="Host"
            {...field('outbound_host')}
            hint={now?.outbound_host ? `Current: ${now.outbound_host}` : 'Host or host:port.'}
          />
          {choice(
            'outbound_transport',
            'Transport',
            ['udp', 'tcp', 'tls'].map((value) => ({ value, label: value })),
            now?.outbound_transport ?? 'udp',
          )}
          {choice(
            'register',
            'Registration',
            [
              { value: 'yes', label: 'Register the username at the host' },
              { value: 'no', label: 'Do not register' },
            ],
            now?.register ? 'registers' : 'does not register',
          )}
          <TextField
            label="Extensions that agents may dial"
            {...field('dial_extensions')}
            hint={
              now?.dial_extensions.length
                ? `Current: ${now.dial_extensions.join(', ')}`
                : 'Such as 100-199, 8000, desk. None if empty.'
            }
          />
          <TextField
            label="Outbound username"
            {...field('outbound_username')}
            hint="Leave empty to use the username and password above."
          />
          <TextField
            label="Outbound password"
            {...field('outbound_password')}
            type="password"
            autoComplete="new-password"
          />
          {isTls ? (
            <>
              <TextArea
                label="CA certificates"
                {...field('ca_certificates')}
                hint={
                  now?.ca_certificates.length
                    ? `Current: ${now.ca_certificates.map(({ subject }) => subject).join('; ')}`
                    : 'PEM, if the peer has a certificate of a private CA.'
                }
              />
              <TextArea
                label="Client certificate"
                {...field('client_certificate')}
                hint={
                  now?.client_certificate
                    ? `Current: ${now.client_certificate.subject}`
                    : 'PEM, if the peer asks for one.'
                }
              />
              <TextArea label="Client key" {...field('client_key')} hint="PEM, without a passphrase." />
            </>
          ) : null}
        </div>
      </details>
      <details>
        <summary>Encryption, numbers and headers</summary>
        <div className="stack">
          {choice(
            'encryption',
            'Audio encryption (SRTP)',
            [
              { value: 'off', label: 'Off' },
              { value: 'offered', label: 'Offered: encrypted if the peer can' },
              { value: 'required', label: 'Required: no call without it' },
            ],
            now?.encryption ?? 'off, inbound as the caller asks',
          )}
          {choice(
            'number_form',
            'Number format',
            [
              { value: 'e164', label: 'E.164: +442079460018' },
              { value: 'plain', label: 'Without +: 442079460018' },
              { value: 'national', label: 'National: 02079460018' },
            ],
            now?.number_form ?? 'e164',
          )}
          {isNational ? (
            <>
              <TextField
                label="Country code"
                {...field('country_code')}
                hint={now?.country_code ? `Current: ${now.country_code}` : 'Such as 44.'}
              />
              <TextField
                label="National prefix"
                {...field('trunk_prefix')}
                hint={`Such as 0. Current: ${empty(now?.trunk_prefix)}`}
              />
              <TextField
                label="International prefix"
                {...field('international_prefix')}
                hint={`Current: ${now?.international_prefix ?? '00'}`}
              />
            </>
          ) : null}
          <TextField
            label="From domain"
            {...field('from_domain')}
            hint={`The host in From. Current: ${empty(now?.from_domain)}`}
          />
          {choice(
            'identity',
            'Caller identity header',
            [
              { value: 'none', label: 'None' },
              { value: 'p_asserted_identity', label: 'P-Asserted-Identity' },
              { value: 'diversion', label: 'Diversion, for forwarded callers' },
            ],
            now?.identity ?? 'none',
          )}
          {choice(
            'refer_to',
            'Transfer target',
            [
              { value: 'sip', label: 'sip: address at the peer' },
              { value: 'tel', label: 'tel: number' },
            ],
            now?.refer_to ?? 'sip',
          )}
        </div>
      </details>
    </>
  )
}
