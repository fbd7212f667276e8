import { Empty } from '@switchroom/contract/shapes'
import {
  AskEntry,
  AskGrant,
  AskStreams,
  Entered,
  Granted,
  GrantParams,
  Settle,
  SpeechModels,
  SpeechModelsAsked,
  SpeechVoices,
  SpeechVoicesAsked,
  StreamsJudged,
} from '@switchroom/contract/voice-server'
import { fleetOnly } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Admission } from './admission.ts'
import type { Grants } from './grants.ts'
import type { StreamChecks } from './stream-checks.ts'
import type { SpeechCatalogue } from './speech-catalogue.ts'
import type { SpeechModelList } from './speech-models.ts'

export interface VoiceServerParts {
  voiceAdmission: Admission
  grants: Grants
  streamChecks: StreamChecks
  speechCatalogue: SpeechCatalogue
  speechModels: SpeechModelList
}

/** For the platform's own voice servers. A refusal that they pass on is a normal answer here. */
export function voiceServerRoutes(server: Server, parts: VoiceServerParts) {
  const { voiceAdmission, grants, streamChecks, speechCatalogue, speechModels } = parts

  server.post(
    '/v1/voice/entries',
    {
      access: fleetOnly,
      schema: {
        summary: 'Admit a caller of a voice server, and count the request',
        body: AskEntry,
        response: { 200: Entered },
      },
    },
    (request) => voiceAdmission.enter(request.body),
  )

  server.post(
    '/v1/voice/grants',
    {
      access: fleetOnly,
      schema: {
        summary: 'The vendor, model and key that serve a request; reserves the price of speech',
        body: AskGrant,
        response: { 200: Granted },
      },
    },
    (request) => grants.grant(request.body),
  )

  server.post(
    '/v1/voice/grants/:grant/settlement',
    {
      access: fleetOnly,
      schema: {
        summary: 'Settle a grant by its usage; the first settlement counts',
        params: GrantParams,
        body: Settle,
        response: { 200: Empty, ...refusals(404) },
      },
    },
    async (request) => {
      await grants.settle(request.params.grant, request.body)
      return {}
    },
  )

  server.post(
    '/v1/voice/streams',
    {
      access: fleetOnly,
      schema: {
        summary: 'Which of the open streams may continue',
        body: AskStreams,
        response: { 200: StreamsJudged },
      },
    },
    (request) => streamChecks.judge(request.body),
  )

  server.get(
    '/v1/voice/voices',
    {
      access: fleetOnly,
      schema: {
        summary: 'The voices that an org may use',
        querystring: SpeechVoicesAsked,
        response: { 200: SpeechVoices, ...refusals(404) },
      },
    },
    (request) => speechCatalogue.list(request.query),
  )

  server.get(
    '/v1/voice/models',
    {
      access: fleetOnly,
      schema: {
        summary: 'The models that an org may name at a voice server',
        querystring: SpeechModelsAsked,
        response: { 200: SpeechModels, ...refusals(404) },
      },
    },
    (request) => speechModels.list(request.query),
  )
}
