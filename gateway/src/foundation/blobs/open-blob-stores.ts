import type { BlobStore } from './blob-store.ts'
import { FolderBlobs } from './folder-blobs.ts'
import { S3Blobs } from './s3-blobs.ts'
import type { S3Settings } from './s3-settings.ts'

export interface BlobSettings {
  recordingsFolder: string | undefined
  s3: S3Settings | undefined
  caPem: string | undefined
}

/** The bucket comes first if there is one: new blobs go there, and those of the folder are moved. */
export const openBlobStores = ({ recordingsFolder, s3, caPem }: BlobSettings): BlobStore[] => [
  ...(s3 ? [new S3Blobs(s3, caPem)] : []),
  ...(recordingsFolder === undefined ? [] : [new FolderBlobs(recordingsFolder, 'SVC_RECORDINGS')]),
]
