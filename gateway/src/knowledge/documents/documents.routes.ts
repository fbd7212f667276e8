import { Readable } from 'node:stream'
import {
  AddedDocuments,
  CreateDocument,
  DocumentList,
  DocumentsAsked,
  KnowledgeDocument,
  ReplaceDocument,
  UploadDocument,
  UploadDocuments,
} from '@switchroom/contract/knowledge'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Documents, Form } from './documents.ts'

const path = '/v1/bases/:base/documents'
const Params = Type.Object({ base: Type.String() })
const OneParams = Type.Object({ base: Type.String(), document: Type.String() })
const access = scope('knowledge')
const original = {
  content: {
    'application/octet-stream': {
      schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }),
    },
  },
}
const jsonOrForm = (json: object, form: object) => ({
  content: { 'application/json': { schema: json }, 'multipart/form-data': { schema: form } },
})

export async function documentRoutes(server: Server, documents: Documents) {
  server.get(
    path,
    {
      access,
      schema: {
        summary: 'The documents of a base, a page at a time',
        params: Params,
        querystring: DocumentsAsked,
        response: { 200: DocumentList, ...refusals(400, 404) },
      },
    },
    ({ caller, params, query }) => documents.list(caller, params.base, query),
  )

  // In a scope of its own, in which a form is a stream.
  await server.register(async (inner) => {
    const own = inner as Server
    own.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))

    own.post(
      path,
      {
        access,
        schema: {
          summary: 'Add documents: uploaded files, a text, or an address to fetch',
          params: Params,
          body: jsonOrForm(CreateDocument, UploadDocuments),
          response: { 201: AddedDocuments, ...refusals(400, 403, 404, 409, 413, 429, 503) },
        },
      },
      async ({ caller, params, body, headers }, reply) =>
        reply
          .code(201)
          .send(await documents.add(caller, params.base, wantedIn(body, headers['content-type']))),
    )

    own.put(
      `${path}/:document`,
      {
        access,
        schema: {
          summary: 'Replace the content of a document; searches find the old one until the new one is read',
          params: OneParams,
          body: jsonOrForm(ReplaceDocument, UploadDocument),
          response: { 200: KnowledgeDocument, ...refusals(400, 403, 404, 409, 413, 429, 503) },
        },
      },
      ({ caller, params, body, headers }) =>
        documents.replace(caller, params.base, params.document, wantedIn(body, headers['content-type'])),
    )
  })

  server.get(
    `${path}/:document`,
    {
      access,
      schema: {
        summary: 'A document with its state',
        params: OneParams,
        response: { 200: KnowledgeDocument, ...refusals(404) },
      },
    },
    ({ caller, params }) => documents.read(caller, params.base, params.document),
  )

  server.get(
    `${path}/:document/content`,
    {
      access,
      schema: {
        summary: 'Download a document as it came',
        params: OneParams,
        response: { 200: original, ...refusals(404, 409, 503) },
      },
    },
    async ({ caller, params, method }, reply) => {
      const { name, bytes, mediaType, content } = await documents.download(
        caller,
        params.base,
        params.document,
      )
      reply
        .type(mediaType)
        .header('content-length', bytes)
        .header('content-disposition', attachment(name))
        .header('content-security-policy', 'sandbox')
      if (method !== 'HEAD') return reply.send(content)
      content.destroy()
      return reply.send(Readable.from([]))
    },
  )

  server.delete(
    `${path}/:document`,
    {
      access,
      schema: {
        summary: 'Delete a document with all that was made of it',
        params: OneParams,
        response: { 204: Nothing, ...refusals(403, 404) },
      },
    },
    async ({ caller, params }, reply) => {
      await documents.remove(caller, params.base, params.document)
      return reply.code(204).send()
    },
  )

  server.post(
    `${path}/:document/refetch`,
    {
      access,
      schema: {
        summary: 'Fetch a document from its address again',
        params: OneParams,
        response: { 202: KnowledgeDocument, ...refusals(403, 404, 409) },
      },
    },
    async ({ caller, params }, reply) =>
      reply.code(202).send(await documents.refetch(caller, params.base, params.document)),
  )
}

/** The body is held to its schema by its content type. */
const wantedIn = (body: unknown, contentType = '') =>
  body instanceof Readable ? ({ body, contentType } satisfies Form) : (body as CreateDocument)

const attachment = (name: string) => {
  const file = name.split('/').at(-1) ?? name
  const plain = file.replace(/[^\w.-]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(file).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`
}
