/** Of a browser that is in no call. */
export const strangersOffer = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=mid:0',
  'a=ice-ufrag:FYUD',
  'a=ice-pwd:D6QqGFqM7bSopJZ5BfCm7iyv',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=rtpmap:111 opus/48000/2',
].join('\r\n')
