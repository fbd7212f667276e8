/** Fields of a SIP peer that calls come and go by, as the API names them. */
export const sipNames = [
  'auth',
  'register',
  'outbound_host',
  'outbound_transport',
  'outbound_username',
  'outbound_password',
  'encryption',
  'ca_certificates',
  'client_certificate',
  'client_key',
  'dial_extensions',
  'from_domain',
  'refer_to',
  'identity',
  'number_form',
  'country_code',
  'trunk_prefix',
  'international_prefix',
] as const
export type SipName = (typeof sipNames)[number]
