{{- define "switchroom.name" -}}
{{- if eq .Release.Name .Chart.Name }}{{ .Chart.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Takes (list $ "gateway"). */ -}}
{{- define "switchroom.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ $top.Chart.Name }}
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "switchroom.labels" -}}
{{- $top := index . 0 -}}
{{ include "switchroom.selector" . }}
app.kubernetes.io/version: {{ $top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $top.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $top.Chart.Name $top.Chart.Version }}
{{- end }}

{{- define "switchroom.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- /* Takes (list "SVC_VAULT_KEY" .Values.secrets.vaultKey). */ -}}
{{- define "switchroom.secret" -}}
{{- $secret := index . 1 -}}
{{- if $secret.name }}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret.name }}
      key: {{ $secret.key }}
{{- end }}
{{- end }}

{{- define "switchroom.media" -}}
{{- if .Values.media.livekitUrl }}
- name: SVC_MEDIA_URL
  value: {{ .Values.media.livekitUrl | quote }}
{{- include "switchroom.secret" (list "SVC_MEDIA_KEY" .Values.secrets.mediaKey) }}
{{- include "switchroom.secret" (list "SVC_MEDIA_SECRET" .Values.secrets.mediaSecret) }}
{{- end }}
{{- end }}

{{- define "switchroom.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "switchroom.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "switchroom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* One of a kind is not on the node of another, if that can be. */ -}}
{{- define "switchroom.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "switchroom.selector" . | nindent 6 }}
{{- end }}
