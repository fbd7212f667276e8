const currentLive = 'stt-rt-v5'
const currentRecorded = 'stt-async-v5'
/** What it switched off; its successors take the same requests. */
const isGone = (model: string) => /-preview(-v\d+)?$/.test(model)

/** A model for recordings does not listen live. */
export const liveModel = (model: string) =>
  model.startsWith('stt-async') || isGone(model) ? currentLive : model

/** A model that listens live takes no recording. */
export const recordedModel = (model: string) =>
  model.startsWith('stt-rt') || isGone(model) ? currentRecorded : model
