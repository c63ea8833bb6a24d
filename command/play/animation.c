/* SPDX-FileCopyrightText: 2026 the cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "play/animation.h"

#include <string.h>

#define MOST_BYTES (256 * 1024) /* search limit; colour profiles and texts may come first */
#define TAG_BYTES 4

/* A file is animated if the first chunk exists and comes before the second. */
static const struct {
  const gchar *decoders[3];
  const gchar *chunk, *end;
  const gchar *words;
} kinds[] = {
  { { "pngdec", "avdec_png", NULL },
    "acTL",
    "IDAT",
    "is an animated PNG, of which GStreamer decodes only the first picture. Convert it: `ffmpeg -i FILM -c:v ffv1 film.mkv`." },
  { { "webpdec", "avdec_webp", NULL }, "ANIM", "ANMF", "is an animated WebP, which GStreamer cannot decode." },
};

struct _Animation {
  gint found; /* atomic: index of the kind plus 1; 0: none */
};

/* The first bytes of the file, collected on the pad's thread. */
typedef struct {
  Animation *animation;
  gint kind;
  GByteArray *head;
} AnimationHead;

static void
animation_free_head (gpointer data)
{
  AnimationHead *head = data;

  g_byte_array_unref (head->head);
  g_free (head);
}

static gint64
animation_find (const GByteArray *bytes, const gchar *tag)
{
  for (guint i = 0; i + TAG_BYTES <= bytes->len; i++)
    if (memcmp (bytes->data + i, tag, TAG_BYTES) == 0)
      return i;
  return -1;
}

static GstPadProbeReturn
animation_take_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  AnimationHead *head = user_data;
  GstMapInfo map;
  gint64 chunk, end;

  if (!gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  g_byte_array_append (head->head, map.data, (guint)MIN (map.size, MOST_BYTES));
  gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  chunk = animation_find (head->head, kinds[head->kind].chunk);
  end = animation_find (head->head, kinds[head->kind].end);
  if (chunk >= 0 && (end < 0 || chunk < end))
    g_atomic_int_set (&head->animation->found, head->kind + 1);
  return chunk >= 0 || end >= 0 || head->head->len >= MOST_BYTES ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
}

static void
animation_take_element (GstBin *pipeline G_GNUC_UNUSED, GstBin *bin G_GNUC_UNUSED, GstElement *element, gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  for (gint i = 0; factory != NULL && pad != NULL && i < (gint)G_N_ELEMENTS (kinds); i++) {
    AnimationHead *head;

    if (!g_strv_contains (kinds[i].decoders, GST_OBJECT_NAME (factory)))
      continue;
    head = g_new0 (AnimationHead, 1);
    head->animation = user_data;
    head->kind = i;
    head->head = g_byte_array_new ();
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, animation_take_buffer, head, animation_free_head);
  }
}

Animation *
animation_new (GstElement *pipeline)
{
  Animation *animation = g_new0 (Animation, 1);

  g_signal_connect (pipeline, "deep-element-added", G_CALLBACK (animation_take_element), animation);
  return animation;
}

void
animation_free (Animation *animation)
{
  g_free (animation);
}

gchar *
animation_explain (Animation *animation, const gchar *film)
{
  const gint found = g_atomic_int_get (&animation->found);

  if (found == 0)
    return NULL;
  return g_strdup_printf ("\"%s\" %s", film, kinds[found - 1].words);
}
