import { InferenceSession } from 'onnxruntime-node'

/** One thread: several would spin against each other and against the host for little gain. */
export const openSession = (weights: Uint8Array) =>
  InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    logSeverityLevel: 3,
    // An arena and packed copies of the weights take 50 MB and save no time on one thread.
    enableCpuMemArena: false,
    // Otherwise the decoder unpacks its whole vocabulary for every token, which is half of its time.
    extra: { session: { disable_quant_qdq: '1', disable_prepacking: '1' } },
  })
