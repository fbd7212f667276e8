import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters } from 'werift'
import { until } from '../../testing/sip-peer.ts'
import { callCertificate } from '../srtp/certificate.ts'
import { answerOffer } from './answer-offer.ts'

/** A caller by another program than a browser, with a certificate and a key of its choice. */
async function callWith(t: TestContext, certPem: string, keyPem: string) {
  const states: string[] = []
  const connection = new RTCPeerConnection({
    codecs: {
      audio: [
        new RTCRtpCodecParameters({
          mimeType: 'audio/opus',
          clockRate: 48_000,
          channels: 2,
          payloadType: 96,
        }),
      ],
    },
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
    dtls: { keys: { certPem, keyPem, signatureHash: { hash: 4, signature: 3 } } },
  })
  connection.addTransceiver(new MediaStreamTrack({ kind: 'audio' }), { direction: 'sendrecv' })
  await connection.setLocalDescription(await connection.createOffer())
  const { leg, sdp } = await answerOffer(connection.localDescription?.sdp ?? '', {})
  t.after(async () => {
    await leg.hangUp()
    await connection.close()
  })
  void leg.ended.then((how) => states.push(how))
  connection.connectionStateChange.subscribe((state) => states.push(state))
  await connection.setRemoteDescription({ type: 'answer', sdp })
  return { states, leg }
}

test('a browser with the key of its certificate is connected', async (t) => {
  const { certificatePem, keyPem } = callCertificate()
  const { states } = await callWith(t, certificatePem, keyPem)
  await until(() => states.includes('connected'))
  assert.ok(!states.includes('lost'))
})

test("who shows a browser's certificate and has not its key is not connected", async (t) => {
  const { states } = await callWith(t, callCertificate().certificatePem, callCertificate().keyPem)
  await until(() => states.includes('lost'))
})
