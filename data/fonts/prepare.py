"""Makes DejaVuSans-Figure.ttf from the DejaVuSans.ttf of DejaVu 2.37; needs fonttools.

    python3 prepare.py DejaVuSans.ttf DejaVuSans-Figure.ttf

README.md says what is changed and why.
"""

import sys

from fontTools import subset
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen

NAME = "DejaVu Sans Figure"
# Ascent plus descent, in ems, that the drawing library takes for granted in SVG.
HEIGHT_IN_EMS = 1.24

CHARACTERS = [
    *range(0x20, 0x7F),  # Basic Latin
    *range(0xA0, 0x100),  # Latin-1
    *range(0x391, 0x3CA),  # Greek
    *range(0x2070, 0x2080),  # superscripts
    *range(0x2080, 0x208F),  # subscripts
    *range(0x2090, 0x209D),  # subscript letters
    *map(ord, "ϑϕϵᵢᵣᵤᵥⱼ"),
    *map(ord, "\u2010\u2012–—‘’“”•…′″‰‖"),
    *map(ord, "←↑→↓↔⇒∂∆∏∑−∕∗∘∙√∝∞∫∈∣∥∧∩∪∼≃≅≈≠≡≤≥≪≫⋅⟨⟩ℓℕℝ𝟙"),
    *range(0x302, 0x306),  # combining hat, tilde, bars
]


def main(source, target):
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.glyph_names = False
    options.legacy_kern = True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "FFTM", "MATH", "gasp"]
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=set(CHARACTERS) & set(font.getBestCmap()))
    subsetter.subset(font)

    start_outlines_at_the_origin(font)
    set_height(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4):
            record.string = NAME
        if record.nameID == 6:
            record.string = NAME.replace(" ", "")
    font.save(target)


def start_outlines_at_the_origin(font):
    shapes = font.getGlyphSet()
    glyphs = {}
    for name in font.getGlyphOrder():
        recording = DecomposingRecordingPen(shapes)
        shapes[name].draw(recording)
        pen = TTGlyphPen(None)
        recording.replay(pen)
        if recording.value:
            pen.moveTo((0, 0))
            pen.lineTo((0, 0))
            pen.lineTo((0, 0))
            pen.closePath()
        glyphs[name] = pen.glyph(dropImpliedOnCurves=False)
    for name, glyph in glyphs.items():
        font["glyf"][name] = glyph
        glyph.recalcBounds(font["glyf"])
        advance, _ = font["hmtx"][name]
        font["hmtx"][name] = (advance, glyph.xMin if glyph.numberOfContours else 0)


def set_height(font):
    line, metrics = font["hhea"], font["OS/2"]
    height = round(HEIGHT_IN_EMS * font["head"].unitsPerEm)
    line.ascent, line.lineGap = height + line.descent, 0
    metrics.sTypoAscender = metrics.usWinAscent = line.ascent
    metrics.sTypoDescender, metrics.usWinDescent = line.descent, -line.descent
    metrics.sTypoLineGap = 0


main(*sys.argv[1:])
