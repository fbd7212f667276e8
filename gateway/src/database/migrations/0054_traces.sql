-- Where the spans of a call belong, as W3C Trace Context writes it; null if the call is not traced.
alter table calls add column traceparent text;
