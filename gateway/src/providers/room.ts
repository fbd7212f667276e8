import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import { Accounts } from './accounts/accounts.ts'
import { TranscriberChoice } from './voice-server/transcriber-choice.ts'
import { Admission } from './voice-server/admission.ts'
import { Grants } from './voice-server/grants.ts'
import { StreamChecks } from './voice-server/stream-checks.ts'
import { LentKeys } from './lent-keys/lent-keys.ts'
import { ModelEndpoints } from './endpoints/model-endpoints.ts'
import { ModelAccess } from './access/model-access.ts'
import { OpenAiNames } from './voice-server/openai-names.ts'
import { OpenStreams } from './voice-server/open-streams.ts'
import { OwnKeys } from './lent-keys/own-keys.ts'
import { KeyTrial } from './keys/key-trial.ts'
import { ProviderKeys } from './keys/provider-keys.ts'
import { ProvidersRow } from './row/row.ts'
import { Rates } from './rates/rates.ts'
import { Samples } from './voices/samples.ts'
import { SpeechCatalogue } from './voice-server/speech-catalogue.ts'
import { SpeechChoice } from './voice-server/speech-choice.ts'
import { SpeechModelList } from './voice-server/speech-models.ts'
import { StageKeys } from './lent-keys/stage-keys.ts'
import { VendorCatalogue } from './catalogue/catalogue.ts'
import { VendorVoices } from './voice-server/vendor-voices.ts'
import { VendorWindow } from './vendor-order/vendor-window.ts'
import { Voices } from './voices/voices.ts'
import { findVendors } from '@switchroom/kit/installed'
import { observeVendors } from './vendor-order/failing-metric.ts'

export type ProvidersRoom = ReturnType<typeof makeProviders>

/** Vendors, their keys and prices, voices, and the grants of voice servers. */
export function makeProviders(parts: Infrastructure & HttpRoom & PeopleRoom) {
  const { settings, clock, logger, meters, vault, database, authentication, rateCounts, orgs } = parts
  const { publicAddresses } = parts

  const vendors = findVendors(settings.vendorFolders)
  const providersRow = new ProvidersRow(database, vendors, settings.providersFile)
  const { trialTimeoutMs } = settings
  const keyTrial = new KeyTrial({ vendors, providersRow, rateCounts, trialTimeoutMs })
  const providerKeys = new ProviderKeys(database, vault, vendors, keyTrial)
  const modelEndpoints = new ModelEndpoints({
    database,
    clock,
    vault,
    vendors,
    publicAddresses,
    rateCounts,
    orgs,
    privateHosts: settings.privateHosts,
    caPem: settings.caPem,
    trialTimeoutMs,
  })
  const ownKeys = new OwnKeys(providerKeys, modelEndpoints)
  const rates = new Rates(settings.ratesFile, logger)
  const lentKeys = new LentKeys({
    vendors,
    providersRow,
    rates,
    ownKeys,
    platformKeys: settings.providerKeys,
  })
  const vendorCatalogue = new VendorCatalogue(vendors, providersRow, ownKeys, lentKeys)
  const accounts = new Accounts(database, orgs)
  const modelAccess = new ModelAccess(
    rates,
    accounts,
    ownKeys,
    (service, vendor) => vendors.doing(service, vendor)?.needsKey === false,
  )
  const stageKeys = new StageKeys(vendors, lentKeys, rates)
  const vendorWindow = new VendorWindow(clock, settings.vendorWindowMs)
  observeVendors(meters, vendors, vendorWindow)
  const voices = new Voices(vendors, providersRow, lentKeys, settings.sampleTimeoutMs)
  const samples = new Samples({
    vendors,
    providersRow,
    stageKeys,
    accounts,
    rateCounts,
    sampleTimeoutMs: settings.sampleTimeoutMs,
  })
  const vendorVoices = new VendorVoices(clock, settings.sampleTimeoutMs)
  const speechCatalogue = new SpeechCatalogue({ vendors, orgs, providersRow, lentKeys, vendorVoices })
  const openStreams = new OpenStreams(database, clock, settings.maxStreams)
  const voiceAdmission = new Admission({
    authentication,
    accounts,
    rateCounts,
    openStreams,
    rates: settings.voiceRates,
  })
  const transcriberChoice = new TranscriberChoice({ vendors, rates, stageKeys })
  const openAiNames = new OpenAiNames({ vendors, rates, stageKeys, catalogue: speechCatalogue })
  const grants = new Grants({
    database,
    clock,
    authentication,
    accounts,
    admission: voiceAdmission,
    providersRow,
    stageKeys,
    speechChoice: new SpeechChoice({ vendors, rates, catalogue: speechCatalogue }),
    transcriberChoice,
    openAiNames,
    openStreams,
  })
  const speechModels = new SpeechModelList({
    vendors,
    orgs,
    accounts,
    providersRow,
    rates,
    ownKeys,
    stageKeys,
    transcriberChoice,
    openAiNames,
  })
  const streamChecks = new StreamChecks(database, clock, authentication, accounts)

  return {
    vendors,
    providersRow,
    providerKeys,
    modelEndpoints,
    ownKeys,
    rates,
    lentKeys,
    vendorCatalogue,
    accounts,
    modelAccess,
    stageKeys,
    vendorWindow,
    voices,
    samples,
    speechCatalogue,
    speechModels,
    voiceAdmission,
    grants,
    streamChecks,
  }
}
