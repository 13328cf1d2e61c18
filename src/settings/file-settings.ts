import { anyText, settingsOf } from './setting-kinds.ts'

const isStorage = (text: string): boolean => {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  if (url.protocol === 'file:') return url.hostname === '' && url.pathname !== '/'
  return (url.protocol === 'https:' || url.protocol === 'http:') && /^\/[^/]+/.test(url.pathname)
}

export const fileSettings = settingsOf('Files', {
  fileStorage: {
    name: 'PAYIN_FILE_STORAGE',
    kind: (text: string) =>
      isStorage(text) ? { value: text } : { problem: 'is neither file:///folder nor https://endpoint/bucket' },
    fix: 'write file:///var/lib/payin/files or https://s3.example.com/bucket, without user, password or query',
    doc: 'Where receipts and evidence are kept: file:///folder that all processes share, or https://endpoint/bucket/path of S3-compatible storage; unset: in the database.',
  },
  fileStorageRegion: {
    name: 'PAYIN_FILE_STORAGE_REGION',
    kind: anyText,
    default: 'us-east-1',
    doc: 'Region of the bucket; many S3-compatible servers take any.',
  },
  fileStorageKeyId: {
    name: 'PAYIN_FILE_STORAGE_KEY_ID',
    kind: anyText,
    default: '',
    doc: 'Access key id for the bucket.',
  },
  fileStorageSecret: {
    name: 'PAYIN_FILE_STORAGE_SECRET',
    kind: anyText,
    secret: true,
    fix: 'write the secret access key of PAYIN_FILE_STORAGE_KEY_ID',
    doc: 'Secret access key for the bucket.',
  },
})
